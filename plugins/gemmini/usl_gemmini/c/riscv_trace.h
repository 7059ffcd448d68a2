/* For a kernel on an emulated RISC-V processor without the accelerator: each command is an illegal instruction there, whose
 * words the handler writes to the standard output, and goes on behind it. */

#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

static void put(uint64_t number) { fwrite(&number, sizeof number, 1, stdout); }

static void place(const void *array, uint64_t bytes)
{
  put((uint64_t)(uintptr_t)array);
  put(bytes);
}

/* __gregs[0] is the program counter, the others are the registers of their numbers; register 0 is always 0. */
static void command(int signal, siginfo_t *info, void *context)
{
  unsigned long *registers = ((ucontext_t *)context)->uc_mcontext.__gregs;
  uint32_t word;
  memcpy(&word, (const void *)registers[0], sizeof word);
  if ((word & 0x7F) != 0x7B || (word >> 12 & 7) != 3) {
    fprintf(stderr, "signal %d at %p: no command: %08x\n", signal, info->si_addr, word);
    _Exit(3);
  }
  const unsigned rs1 = word >> 15 & 31, rs2 = word >> 20 & 31;
  put(word >> 25);
  put(rs1 ? registers[rs1] : 0);
  put(rs2 ? registers[rs2] : 0);
  registers[0] += 4;
}

static void trap_commands(void)
{
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = command;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGILL, &action, NULL);
}

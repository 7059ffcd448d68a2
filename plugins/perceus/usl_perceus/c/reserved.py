"""Names that functions of a program cannot have in C: one file includes the runtime, and with it headers of the system."""

from __future__ import annotations

import re
from functools import cache

from usl_c11.runtime import runtime_files

_SYSTEM_TEXT = """
    a64l access acct alarm arc4random arc4random_buf arc4random_uniform asctime asctime_r at_quick_exit brk chdir chown
    chroot clearenv clearerr clearerr_unlocked clock clock_getcpuclockid clock_getres clock_gettime clock_nanosleep
    clock_settime close closefrom confstr crypt ctermid ctime ctime_r daemon daylight difftime dprintf drand48 drand48_r
    drem dremf dreml dup dup2 dysize ecvt ecvt_r endusershell environ erand48 erand48_r execl execle execlp execv execve
    execvp explicit_bzero faccessat fchdir fchown fchownat fclose fcvt fcvt_r fdatasync fdopen feof feof_unlocked ferror
    ferror_unlocked fexecve fflush fflush_unlocked ffsll fgetc fgetc_unlocked fgetpos fgets fileno fileno_unlocked finite
    finitef finitel flockfile fmemopen fopen fpathconf fprintf fputc fputc_unlocked fputs fread fread_unlocked freopen
    fscanf fseek fseeko fsetpos fsync ftell ftello ftruncate ftrylockfile funlockfile fwrite fwrite_unlocked gcvt getc
    getc_unlocked getchar getchar_unlocked getcwd getdelim getdomainname getdtablesize getegid getentropy geteuid getgid
    getgroups gethostid gethostname getline getloadavg getlogin getlogin_r getopt getpagesize getpass getpgid getpgrp getpid
    getppid getsid getsubopt getuid getusershell getw getwd gmtime gmtime_r gsignal initstate initstate_r isatty jmp_buf
    jrand48 jrand48_r kill killpg l64a lchown lcong48 lcong48_r lgamma_r lgammaf_r lgammal_r link linkat lldiv llrint
    llrintf llrintl llround llroundf llroundl localtime localtime_r lockf longjmp lrand48 lrand48_r lseek madvise mblen
    mbstowcs mbtowc memccpy mincore mkdtemp mkstemp mkstemps mktemp mktime mlock mlockall mmap mprotect mrand48 mrand48_r
    msync munlock munlockall munmap nanosleep nexttoward nexttowardf nexttowardl nice nrand48 nrand48_r on_exit
    open_memstream optarg opterr optind optopt overflows pathconf pause pclose perror pipe popen posix_madvise
    posix_memalign pread profil pselect psiginfo psignal putc putc_unlocked putchar putchar_unlocked putenv putw pwrite
    qecvt qecvt_r qfcvt qfcvt_r qgcvt quick_exit raise rand_r random_r readlink readlinkat reallocarray realpath renameat
    revoke rewind rmdir rpmatch sbrk scalbln scalblnf scalblnl scanf seed48 seed48_r setbuf setbuffer setdomainname setegid
    setenv seteuid setgid sethostid sethostname setjmp setlinebuf setlogin setpgid setpgrp setregid setreuid setsid setstate
    setstate_r setuid setusershell setvbuf shm_open shm_unlink sigaction sigaddset sigaltstack sigblock sigdelset
    sigemptyset sigfillset siggetmask siginterrupt sigismember sigjmp_buf siglongjmp sigpending sigprocmask sigqueue
    sigreturn sigset_t sigsetjmp sigsetmask sigstack sigsuspend sigtimedwait sigwait sigwaitinfo sleep snprintf sprintf
    srand48 srand48_r srandom srandom_r sscanf ssignal stack_t stderr stdin stdout stpcpy stpncpy strcasecmp strcasecmp_l
    strcoll strcoll_l strcspn strdup strerror strerror_l strerror_r strftime strftime_l strncasecmp strncasecmp_l strncat
    strncpy strndup strnlen strpbrk strrchr strsep strsignal strspn strstr strtod strtof strtok strtok_r strtol strtold
    strtoll strtoq strtoul strtoull strtouq strxfrm strxfrm_l symlink symlinkat sync syscall sysconf tcgetpgrp tcsetpgrp
    tempnam timegm timelocal timer_create timer_delete timer_getoverrun timer_gettime timer_settime timespec_get timezone
    tmpfile tmpnam tmpnam_r truncate ttyname ttyname_r ttyslot tzname tzset ualarm ungetc unlink unlinkat unsetenv usleep
    valloc vdprintf vfork vfprintf vfscanf vhangup vprintf vscanf vsnprintf vsprintf vsscanf wcstombs wctomb
"""
"""What <setjmp.h>, <signal.h>, <stdio.h>, <stdlib.h>, <string.h>, <time.h> and <unistd.h> declare besides C's own names."""


@cache
def reserved_names() -> frozenset[str]:
    """The names of the system's headers and of the runtime's own functions, variables, types and constants."""
    return frozenset(_SYSTEM_TEXT.split()) | frozenset(_defined(runtime_files()["usl_rt.c"]))


def _defined(text: str) -> set[str]:
    """What the lines at the margin of a C file define; the runtime is laid out so that this is all."""
    found: set[str] = set()
    for line in text.splitlines():
        if re.match(r"(static|typedef)\b", line):
            before = re.split(r"[(=;[{]", line.removeprefix("static").strip(), maxsplit=1)[0]
            found.update(re.findall(r"\w+", part)[-1] for part in before.split(",") if re.search(r"\w", part))
        elif line.startswith("enum"):
            found.update(re.findall(r"\b[A-Z][A-Z0-9_]*\b", line))
        elif match := re.match(r"#\s*define\s+(\w+)|\}\s*(\w+)", line):
            found.add(match[1] or match[2])
    return found

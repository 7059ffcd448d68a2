"""What a program in Python that shares the heap knows of usl_rt.h, in the words of cffi."""

from __future__ import annotations

DECLARATIONS = """
typedef struct usl_block { uint8_t scan; uint8_t path; uint16_t info; int32_t count; } usl_block;
typedef usl_block *usl_value;
typedef struct usl_context usl_context;
typedef void (*usl_code)(void);
struct usl_closure { usl_block head; usl_code code; };
struct usl_raw_array { usl_block head; int64_t length; void *elements; void *own; };
struct usl_wide { usl_block head; int64_t length; int64_t at; usl_value fields[]; };
struct usl_string { usl_block head; int64_t length; char bytes[]; };
"""
"""The types of usl_rt.h that Python sees, for cffi."""

FUNCTIONS = """
usl_context *usl_context_acquire(void);
int64_t usl_live_blocks(void);
usl_value usl_make(unsigned scan, unsigned path, unsigned tag, size_t words, usl_context *ctx);
void usl_retain(usl_value value);
void usl_release(usl_value value, usl_context *ctx);
bool usl_has_thrown(const usl_context *ctx);
usl_value usl_take_exception(usl_context *ctx);
void usl_throw(usl_value exception, const char *place, usl_context *ctx);
bool usl_was_out_of_memory(usl_context *ctx);
const char *usl_raised_at(const usl_context *ctx);
const char *usl_raised_why(const usl_context *ctx);
void usl_watch_stack(void);
void usl_set_interrupt(bool on);
void usl_set_output(usl_context *ctx, void (*write)(void *user, const char *bytes, size_t count), void *user);
usl_value usl_string_new(const char *bytes, size_t length, const char *site, usl_context *ctx);
usl_value usl_raw_array_new(int64_t length, size_t element, const char *site, usl_context *ctx);
usl_value usl_raw_array_lent(int64_t length, void *elements, const char *site, usl_context *ctx);
void usl_raw_array_return(usl_value array, size_t element, usl_context *ctx);
usl_value usl_boxed_array_new(int64_t length, usl_value value, const char *site, usl_context *ctx);
"""
"""The functions of usl_rt.h that Python calls, for cffi."""

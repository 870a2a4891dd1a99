// A library for LD_PRELOAD: fails system calls on files below one folder when a test says so. The test and the process
// share the control file, an array of 32-bit words (failing-calls.ts has the same layout).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum kind { READ, WRITE, STAT, RENAME, OPEN, SYNC, MMAP, UNLINK, MKDIR, TRUNCATE, LOCK, CHMOD, STATFS, COPY, BIND };

enum word { KINDS, ERRNO, FIRST, COUNT, CALLS, FAILED, TOTALS = 16 };

#define CONTROL_BYTES 4096
#define NAME_AT 256
#define NAME_BYTES 512
#define FILES_MAX 65536

static volatile uint32_t *control;
static const char *root;
static size_t rootLength;
static char *names[FILES_MAX];

__attribute__((constructor)) static void begin(void) {
  const char *file = getenv("FAILING_CALLS_CONTROL");
  root = getenv("FAILING_CALLS_ROOT");
  if (!file || !root) return;
  rootLength = strlen(root);
  int opened = syscall(SYS_openat, AT_FDCWD, file, O_RDWR | O_CLOEXEC, 0);
  if (opened < 0) return;
  void *mapped = mmap(NULL, CONTROL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);
  if (mapped != MAP_FAILED) control = mapped;
}

static const char *inside(const char *path) {
  if (!control || !path || strncmp(path, root, rootLength)) return NULL;
  return path[rootLength] == '/' || path[rootLength] == 0 ? path : NULL;
}

static const char *held(int fd) { return control && fd >= 0 && fd < FILES_MAX ? names[fd] : NULL; }

static const char *at(int fd, const char *path) { return path && path[0] == '/' ? inside(path) : held(fd); }

static int tracked(int fd, const char *path) {
  if (fd >= 0 && fd < FILES_MAX) names[fd] = path ? strdup(path) : NULL;
  return fd;
}

static int fails(enum kind kind, const char *call, const char *path) {
  if (!path) return 0;
  __atomic_add_fetch(control + TOTALS + kind, 1, __ATOMIC_SEQ_CST);
  if (!(control[KINDS] & (1u << kind))) return 0;
  uint32_t number = __atomic_add_fetch(control + CALLS, 1, __ATOMIC_SEQ_CST);
  if (number < control[FIRST] || number - control[FIRST] >= control[COUNT]) return 0;
  char *name = (char *)control + NAME_AT;
  strncpy(name, call, 32);
  strncat(name, " ", 2);
  strncat(name, path, NAME_BYTES - 64);
  __atomic_add_fetch(control + FAILED, 1, __ATOMIC_SEQ_CST);
  errno = control[ERRNO];
  return 1;
}

#define REAL(result, name, parameters)                                                                                 \
  static result(*real) parameters;                                                                                     \
  if (!real) real = (result(*) parameters)dlsym(RTLD_NEXT, #name)

#define CALL(result, name, parameters, arguments, kind, path, failure)                                                 \
  result name parameters {                                                                                             \
    REAL(result, name, parameters);                                                                                    \
    if (fails(kind, #name, path)) return failure;                                                                      \
    return real arguments;                                                                                             \
  }

struct iovec;
struct dirent64;

CALL(ssize_t, read, (int fd, void *to, size_t n), (fd, to, n), READ, held(fd), -1)
CALL(ssize_t, readv, (int fd, const struct iovec *to, int n), (fd, to, n), READ, held(fd), -1)
CALL(ssize_t, pread64, (int fd, void *to, size_t n, off64_t from), (fd, to, n, from), READ, held(fd), -1)
CALL(ssize_t, preadv64, (int fd, const struct iovec *to, int n, off64_t from), (fd, to, n, from), READ, held(fd), -1)
CALL(ssize_t, write, (int fd, const void *of, size_t n), (fd, of, n), WRITE, held(fd), -1)
CALL(ssize_t, writev, (int fd, const struct iovec *of, int n), (fd, of, n), WRITE, held(fd), -1)
CALL(ssize_t, pwrite64, (int fd, const void *of, size_t n, off64_t to), (fd, of, n, to), WRITE, held(fd), -1)
CALL(ssize_t, pwritev64, (int fd, const struct iovec *of, int n, off64_t to), (fd, of, n, to), WRITE, held(fd), -1)

CALL(int, __fxstat64, (int v, int fd, void *to), (v, fd, to), STAT, held(fd), -1)
CALL(int, __xstat64, (int v, const char *p, void *to), (v, p, to), STAT, inside(p), -1)
CALL(int, __lxstat64, (int v, const char *p, void *to), (v, p, to), STAT, inside(p), -1)
CALL(int, __xstat, (int v, const char *p, void *to), (v, p, to), STAT, inside(p), -1)
CALL(int, __lxstat, (int v, const char *p, void *to), (v, p, to), STAT, inside(p), -1)
CALL(int, fstat64, (int fd, void *to), (fd, to), STAT, held(fd), -1)
CALL(int, stat64, (const char *p, void *to), (p, to), STAT, inside(p), -1)
CALL(int, lstat64, (const char *p, void *to), (p, to), STAT, inside(p), -1)
CALL(int, access, (const char *p, int mode), (p, mode), STAT, inside(p), -1)
CALL(char *, realpath, (const char *p, char *to), (p, to), STAT, inside(p), NULL)
CALL(ssize_t, readlink, (const char *p, char *to, size_t n), (p, to, n), STAT, inside(p), -1)

CALL(int, rename, (const char *from, const char *to), (from, to), RENAME, inside(from), -1)
CALL(int, link, (const char *from, const char *to), (from, to), RENAME, inside(from), -1)

CALL(int, fsync, (int fd), (fd), SYNC, held(fd), -1)
CALL(int, fdatasync, (int fd), (fd), SYNC, held(fd), -1)

CALL(void *, mmap64, (void *where, size_t n, int prot, int flags, int fd, off64_t from), (where, n, prot, flags, fd, from),
     MMAP, held(fd), MAP_FAILED)

CALL(int, unlink, (const char *p), (p), UNLINK, inside(p), -1)
CALL(int, unlinkat, (int fd, const char *p, int flags), (fd, p, flags), UNLINK, at(fd, p), -1)
CALL(int, rmdir, (const char *p), (p), UNLINK, inside(p), -1)

CALL(int, mkdir, (const char *p, mode_t mode), (p, mode), MKDIR, inside(p), -1)
CALL(char *, mkdtemp, (char *p), (p), MKDIR, inside(p), NULL)

CALL(int, ftruncate64, (int fd, off64_t n), (fd, n), TRUNCATE, held(fd), -1)
CALL(int, truncate, (const char *p, off_t n), (p, n), TRUNCATE, inside(p), -1)

CALL(int, chmod, (const char *p, mode_t mode), (p, mode), CHMOD, inside(p), -1)
CALL(int, fchmod, (int fd, mode_t mode), (fd, mode), CHMOD, held(fd), -1)

CALL(int, statfs64, (const char *p, void *to), (p, to), STATFS, inside(p), -1)

CALL(ssize_t, sendfile64, (int to, int from, off64_t *begin, size_t n), (to, from, begin, n), COPY,
     held(from) ? held(from) : held(to), -1)

CALL(void *, opendir, (const char *p), (p), OPEN, inside(p), NULL)
CALL(int, scandir64,
     (const char *p, struct dirent64 ***to, int (*only)(const struct dirent64 *),
      int (*order)(const struct dirent64 **, const struct dirent64 **)),
     (p, to, only, order), OPEN, inside(p), -1)

#define OPENS(name)                                                                                                    \
  int name(const char *path, int flags, ...) {                                                                         \
    REAL(int, name, (const char *, int, mode_t));                                                                      \
    va_list more;                                                                                                      \
    va_start(more, flags);                                                                                             \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;                                            \
    va_end(more);                                                                                                      \
    if (fails(OPEN, #name, inside(path))) return -1;                                                                   \
    return tracked(real(path, flags, mode), inside(path));                                                             \
  }
OPENS(open)
OPENS(open64)

int openat(int fd, const char *path, int flags, ...) {
  REAL(int, openat, (int, const char *, int, mode_t));
  va_list more;
  va_start(more, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
  va_end(more);
  if (fails(OPEN, "openat", at(fd, path))) return -1;
  return tracked(real(fd, path, flags, mode), at(fd, path));
}

int close(int fd) {
  REAL(int, close, (int));
  tracked(fd, NULL);
  return real(fd);
}

int fcntl64(int fd, int command, ...) {
  REAL(int, fcntl64, (int, int, void *));
  va_list more;
  va_start(more, command);
  void *argument = va_arg(more, void *);
  va_end(more);
  int isLock = command == F_SETLK || command == F_SETLKW || command == F_GETLK;
  if (isLock && fails(LOCK, "fcntl", held(fd))) return -1;
  return real(fd, command, argument);
}

int bind(int fd, const struct sockaddr *address, socklen_t n) {
  REAL(int, bind, (int, const struct sockaddr *, socklen_t));
  const char *path = address->sa_family == AF_UNIX ? ((const struct sockaddr_un *)address)->sun_path : NULL;
  if (fails(BIND, "bind", inside(path))) return -1;
  return real(fd, address, n);
}

long syscall(long number, ...) {
  REAL(long, syscall, (long, long, long, long, long, long, long));
  va_list more;
  va_start(more, number);
  long a = va_arg(more, long), b = va_arg(more, long), c = va_arg(more, long);
  long d = va_arg(more, long), e = va_arg(more, long), f = va_arg(more, long);
  va_end(more);
  if (number == SYS_close) tracked(a, NULL);
  if (number == SYS_statx && fails(STAT, "statx", at(a, (const char *)b))) return -1;
  if (number == SYS_copy_file_range && fails(COPY, "copy_file_range", held(a) ? held(a) : held(c))) return -1;
  return real(number, a, b, c, d, e, f);
}

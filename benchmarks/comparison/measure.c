/*
 * measure REPORT COMMAND [ARGUMENT]...
 *
 * Runs the command and writes to the file REPORT what it used: wall-clock seconds, processor seconds
 * (user and system), peak resident KiB, and its exit status (128 + the signal if one killed it).
 *
 * Why not from Python: the peak that the kernel reports for a child is never below what its parent had when
 * it forked, so that a small child of an interpreter seems large. This parent is smaller than any child.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec moment;
    clock_gettime(CLOCK_MONOTONIC, &moment);
    return (double)moment.tv_sec + (double)moment.tv_nsec * 1e-9;
}

static double seconds(struct timeval value)
{
    return (double)value.tv_sec + (double)value.tv_usec * 1e-6;
}

int main(int count, char **words)
{
    if (count < 3)
        return 2;
    double started = now();
    pid_t child = fork();
    if (child == 0) {
        execvp(words[2], words + 2);
        perror(words[2]);
        _exit(127);
    }
    int status;
    struct rusage used;
    if (child < 0 || wait4(child, &status, 0, &used) < 0)
        return 2;
    double wall = now() - started;
    int result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    FILE *report = fopen(words[1], "w");
    if (report == NULL)
        return 2;
    fprintf(report, "%.6f %.6f %ld %d\n", wall, seconds(used.ru_utime) + seconds(used.ru_stime), used.ru_maxrss, result);
    return fclose(report) == 0 ? 0 : 2;
}

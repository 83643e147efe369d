/* Commands on standard input, which emulator.c lists, and their answers. */
#define _GNU_SOURCE
#include "emulator.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void say_ok(void)
{
    printf("ok %.3f\n", (double)avr->cycle / MS);
}

static void say_error(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fputs("error ", stdout);
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
}

static int square_of(const char *name)
{
    if (name[0] < 'a' || name[0] > 'h' || name[1] < '1' || name[1] > '8' || name[2] != 0)
        return -1;
    return name[0] - 'a' + 8 * (name[1] - '1');
}

static void bytes_of(const char *hex, void (*take)(uint8_t))
{
    unsigned byte;

    for (; sscanf(hex, "%2x", &byte) == 1; hex += 2) {
        take((uint8_t)byte);
        if (hex[1] == 0)
            return;
    }
}

struct request {
    const char *command, *first, *second, *third;
    int square, side; /* -1 if `first` is none */
};

/* Each of these returns false if it has reported an error. */

static bool obey_set(const struct request *it)
{
    if (!is_piece(it->second)) {
        say_error("%s is not a piece", it->second);
        return false;
    }
    put(it->square, it->second[0], atof(it->third));
    return true;
}

static bool obey_fen(const struct request *it)
{
    if (set_up(it->first))
        return true;
    say_error("%s is not a position", it->first);
    return false;
}

static bool obey_feel(const struct request *it)
{
    feel(it->square, atof(it->second));
    return true;
}

static bool obey_fault(const struct request *it)
{
    set_fault(it->square);
    return true;
}

/* Ohms of at least 1. */
static bool obey_ohms(const struct request *it, void (*obey)(int square, double ohms))
{
    double ohms = atof(it->second);

    if (!(ohms >= 1)) {
        say_error("%s is no number of ohms", it->second);
        return false;
    }
    obey(it->square, ohms);
    return true;
}

static bool obey_resistance(const struct request *it)
{
    return obey_ohms(it, set_resistance);
}

static bool obey_damp(const struct request *it)
{
    return obey_ohms(it, set_damp);
}

static bool obey_mend(const struct request *it)
{
    mend(it->square);
    return true;
}

static bool obey_lever(const struct request *it)
{
    move_lever(it->side, !strcmp(it->second, "down"), 0);
    return true;
}

static bool obey_press(const struct request *it)
{
    double ms = it->second[0] ? atof(it->second) : 80;

    move_lever(it->side, true, avr->cycle + (uint64_t)(ms * MS));
    return true;
}

static bool obey_unplug(const struct request *it)
{
    (void)it;
    powered = false;
    silence_line();
    close_terminal();
    return true;
}

static bool obey_plug(const struct request *it)
{
    (void)it;
    if (powered)
        return true;
    powered = true;
    reset_board(PORF);
    if (link_path == NULL || open_terminal())
        return true;
    say_error("no pseudo terminal can be opened");
    return false;
}

static bool obey_reset(const struct request *it)
{
    (void)it;
    reset_board(EXTRF);
    return true;
}

static bool obey_hang(const struct request *it)
{
    (void)it;
    hang();
    return true;
}

static bool obey_noise(const struct request *it)
{
    flip_out = atof(it->first) / 1e6;
    flip_in = atof(it->second) / 1e6;
    return true;
}

static bool obey_lose(const struct request *it)
{
    lose = atoi(it->first);
    return true;
}

static bool obey_garble(const struct request *it)
{
    garble = atoi(it->first);
    return true;
}

static bool obey_say(const struct request *it)
{
    bytes_of(it->first, to_host);
    return true;
}

static bool obey_hear(const struct request *it)
{
    bytes_of(it->first, to_board_later);
    return true;
}

static bool obey_run(const struct request *it)
{
    if (!lockstep) {
        say_error("time goes by itself with --line");
        return false;
    }
    run_until(avr->cycle + (uint64_t)(atof(it->first) * MS));
    return true;
}

static bool obey_time(const struct request *it)
{
    (void)it;
    return true;
}

static bool obey_fit(const struct request *it)
{
    if (fit(it->first))
        return true;
    say_error("%s cannot be fitted: write motor or lamp", it->first);
    return false;
}

/* `buzzer`, `motor` and `lamp`. */
static bool obey_edges(const struct request *it)
{
    printf("ok %.3f", (double)avr->cycle / MS);
    print_edges(it->command);
    putchar('\n');
    return false; /* it has answered */
}

static bool obey_stack(const struct request *it)
{
    (void)it;
    printf("ok %.3f %u\n", (double)avr->cycle / MS, stack_free);
    return false; /* it has answered */
}

static bool obey_quit(const struct request *it)
{
    (void)it;
    close_terminal();
    exit(0);
}

static const struct {
    const char *name;
    enum { NOTHING, SQUARE, SIDE } needs;
    bool (*obey)(const struct request *);
} COMMANDS[] = {
    {"set", SQUARE, obey_set},         {"feel", SQUARE, obey_feel},
    {"fault", SQUARE, obey_fault},     {"mend", SQUARE, obey_mend},
    {"damp", SQUARE, obey_damp},       {"resistance", SQUARE, obey_resistance},
    {"lever", SIDE, obey_lever},       {"press", SIDE, obey_press},
    {"fen", NOTHING, obey_fen},        {"buzzer", NOTHING, obey_edges},
    {"motor", NOTHING, obey_edges},    {"lamp", NOTHING, obey_edges},
    {"fit", NOTHING, obey_fit},        {"unplug", NOTHING, obey_unplug},  {"plug", NOTHING, obey_plug},
    {"reset", NOTHING, obey_reset},    {"hang", NOTHING, obey_hang},
    {"noise", NOTHING, obey_noise},    {"lose", NOTHING, obey_lose},
    {"garble", NOTHING, obey_garble},  {"say", NOTHING, obey_say},
    {"hear", NOTHING, obey_hear},      {"run", NOTHING, obey_run},
    {"stack", NOTHING, obey_stack},    {"time", NOTHING, obey_time},      {"quit", NOTHING, obey_quit},
};

static void obey_request(const struct request *it)
{
    for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++) {
        if (strcmp(it->command, COMMANDS[i].name) != 0)
            continue;
        if (COMMANDS[i].needs == SQUARE && it->square < 0)
            say_error("%s is not a square", it->first);
        else if (COMMANDS[i].needs == SIDE && it->side < 0)
            say_error("%s has no lever: write white or black", it->first);
        else if (COMMANDS[i].obey(it))
            say_ok();
        return;
    }
    say_error("%s is not a command", it->command);
}

static void obey(char *line)
{
    char *words[4] = {"", "", "", "0"}, *rest = NULL;
    int count = 0;

    for (char *word = strtok_r(line, " \r\n", &rest); word != NULL && count < 4;
         word = strtok_r(NULL, " \r\n", &rest))
        words[count++] = word;
    if (count == 0)
        return;
    obey_request(&(struct request){
        .command = words[0],
        .first = words[1],
        .second = words[2],
        .third = words[3],
        .square = square_of(words[1]),
        .side = !strcmp(words[1], "white") ? 0 : !strcmp(words[1], "black") ? 1 : -1,
    });
}

/* Read from standard input and obey each whole line. False at its end. */
bool listen_to_control(void)
{
    static char lines[16384];
    static size_t length;
    ssize_t got = read(STDIN_FILENO, lines + length, sizeof lines - 1 - length);
    char *end;

    if (got <= 0)
        return false;
    length += (size_t)got;
    lines[length] = 0;
    while ((end = strchr(lines, '\n')) != NULL) {
        *end = 0;
        obey(lines);
        length -= (size_t)(end + 1 - lines);
        memmove(lines, end + 1, length + 1);
    }
    fflush(stdout);
    return length < sizeof lines - 1;
}

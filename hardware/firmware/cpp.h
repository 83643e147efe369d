/* The Chess Peripheral Protocol (github.com/vovagorodok/chess_peripheral_protocol): lines of text.
 * The host, the "central", knows the rules; the board tells which move hands have made, and whether
 * it shows what the host believes. This part knows no hardware. */
#ifndef CPP_H
#define CPP_H

#include "board.h"

#include <stdbool.h>
#include <stdint.h>

/* Longer lines lose their end. A position alone has 71 characters. */
#define CPP_LINE_MAX 80
/* The longest answer: a word and a position. */
#define CPP_ANSWER_MAX 80

/* `promotion` is the code of the new piece, or 0. A move from a square to itself is none. */
struct cpp_move {
    uint8_t from, to, promotion;
};

struct cpp {
    char line[CPP_LINE_MAX];
    uint8_t length;
    /* A round is going on, and `position` is what the host believes to be on the board. */
    bool playing;
    uint8_t position[SQUARES];
    /* Whether the host knows that the board shows `position`, or that it does not. */
    enum { SYNCED, UNTOLD, UNSYNCED } sync;
    /* The board has shown `position`: from here on, what differs is a move. */
    bool ready;
    /* Hands have to follow a move of the host. */
    bool following;
    /* The move that was told last. `asked`: the host has not yet accepted or rejected it. */
    struct cpp_move move;
    bool asked;
    /* What the host wants to hear besides: each state, the end of its own moves, and, before a
     * round, each state. */
    bool streaming, announcing, watching;
    /* A square or what the host believes has changed since cpp_tell. */
    bool square_changed, news;
};

/* Take a byte of a line. False if no line goes on so: the byte then begins something else. A line
 * begins with a command, or with `any_word`. If `ended`, the line is whole. */
bool cpp_hear(struct cpp *cpp, uint8_t byte, bool any_word, bool *ended);

/* Obey the line. False if it is not a command. */
bool cpp_obey(struct cpp *cpp, const struct board *board);

/* A square changed. */
void cpp_changed(struct cpp *cpp);

/* Tell what is new, as soon as there is room for it. What changed meanwhile is told as one. */
void cpp_tell(struct cpp *cpp, const struct board *board);

/* Say that the last line was not a command. */
void cpp_refuse(void);

#endif

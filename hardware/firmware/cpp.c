#include "cpp.h"

#include "port.h"

#include <string.h>

static const char LETTERS[] = ".PRNBKQprnbkq"; /* by code */
/* What stands in a hole that cannot be read. */
#define UNKNOWN '?'

#define PAWN 1
#define KING 5
/* The code of a black piece is that of the white one and this. */
#define BLACK 6
/* Castling changes so many squares. */
#define MOST_CHANGED 4

static const struct cpp_move NO_MOVE = {0, 0, 0};

static bool is_black(uint8_t code)
{
    return code > BLACK;
}

static uint8_t kind_of(uint8_t code)
{
    return is_black(code) ? (uint8_t)(code - BLACK) : code;
}

static uint8_t code_of(char letter)
{
    const char *found = letter ? strchr(LETTERS + 1, letter) : NULL;

    return found ? (uint8_t)(found - LETTERS) : EMPTY;
}

static uint8_t rank_of(uint8_t square)
{
    return square / 8;
}

static uint8_t file_of(uint8_t square)
{
    return square % 8;
}

/* --- lines to the host ------------------------------------------------------------------- */

static void send(char *line, char *end)
{
    *end++ = '\n';
    port_send((const uint8_t *)line, (uint8_t)(end - line));
}

static char *put(char *end, const char *text)
{
    while (*text)
        *end++ = *text++;
    return end;
}

static void say(const char *text)
{
    char line[CPP_ANSWER_MAX];

    send(line, put(line, text));
}

static void say_board(const char *word, const struct board *board)
{
    char line[CPP_ANSWER_MAX], *end = put(line, word);

    for (uint8_t rank = 8; rank-- > 0;) {
        for (uint8_t file = 0; file < 8; file++) {
            uint8_t code = board->holes[8 * rank + file].believed;
            if (code != EMPTY)
                *end++ = code == FAULT ? UNKNOWN : LETTERS[code];
            else if (file > 0 && end[-1] <= '8')
                end[-1]++;
            else
                *end++ = '1';
        }
        *end++ = rank ? '/' : ' ';
    }
    send(line, end - 1);
}

static void say_move(struct cpp_move move)
{
    char line[CPP_ANSWER_MAX], *end = put(line, "move ");

    *end++ = (char)('a' + file_of(move.from));
    *end++ = (char)('1' + rank_of(move.from));
    *end++ = (char)('a' + file_of(move.to));
    *end++ = (char)('1' + rank_of(move.to));
    if (move.promotion)
        *end++ = LETTERS[kind_of(move.promotion) + BLACK];
    send(line, end);
}

void cpp_refuse(void)
{
    say("err Unsupported command");
}

/* --- moves ------------------------------------------------------------------------------- */

static bool same_move(struct cpp_move one, struct cpp_move other)
{
    return one.from == other.from && one.to == other.to && one.promotion == other.promotion;
}

/* Make a move on a position. A king that goes two files from the e file castles. A pawn that goes
 * aslant to an empty square takes the pawn beside it. */
static void make_move(uint8_t *position, struct cpp_move move)
{
    uint8_t piece = position[move.from], kind = kind_of(piece);
    uint8_t row = (uint8_t)(8 * rank_of(move.from)), from = file_of(move.from);
    uint8_t to = file_of(move.to);

    if (kind == PAWN && from != to && position[move.to] == EMPTY)
        position[row + to] = EMPTY;
    if (kind == KING && from == 4 && (to == 2 || to == 6)) {
        uint8_t corner = (uint8_t)(row + (to == 2 ? 0 : 7));
        position[row + (from + to) / 2] = position[corner];
        position[corner] = EMPTY;
    }
    position[move.to] = move.promotion ? move.promotion : piece;
    position[move.from] = EMPTY;
}

static uint8_t count_changed(const uint8_t *position, const struct board *board)
{
    uint8_t count = 0;

    for (uint8_t square = 0; square < SQUARES; square++)
        count += position[square] != board->holes[square].believed;
    return count;
}

/* Whether exactly this move leads from `position` to what stands on the board. */
static bool fits(const uint8_t *position, const struct board *board, struct cpp_move *move)
{
    uint8_t after[SQUARES], piece = position[move->from];
    uint8_t arrived = board->holes[move->to].believed, taken = position[move->to];
    bool is_last = rank_of(move->to) == 0 || rank_of(move->to) == 7;

    if (piece == EMPTY || arrived == EMPTY || is_black(arrived) != is_black(piece) ||
        (taken != EMPTY && is_black(taken) == is_black(piece)))
        return false;
    move->promotion = kind_of(piece) == PAWN && is_last && arrived != piece ? arrived : 0;
    memcpy(after, position, SQUARES);
    make_move(after, *move);
    return count_changed(after, board) == 0;
}

/* The move that hands have made, or none while they are not done. */
static struct cpp_move find_move(const uint8_t *position, const struct board *board)
{
    uint8_t changed[MOST_CHANGED], count = 0;

    for (uint8_t square = 0; square < SQUARES && count < MOST_CHANGED; square++)
        if (position[square] != board->holes[square].believed)
            changed[count++] = square;
    for (uint8_t i = 0; i < count; i++)
        for (uint8_t k = 0; k < count; k++) {
            struct cpp_move move = {changed[i], changed[k], 0};
            if (i != k && board->holes[move.from].believed == EMPTY && fits(position, board, &move))
                return move;
        }
    return NO_MOVE;
}

static bool has_fault(const struct board *board)
{
    for (uint8_t square = 0; square < SQUARES; square++)
        if (board->holes[square].believed == FAULT)
            return true;
    return false;
}

static void shows_position(struct cpp *cpp, const struct board *board)
{
    if (cpp->sync != SYNCED)
        say_board("sync ", board);
    else if (cpp->following && cpp->announcing)
        say("moved");
    cpp->sync = SYNCED;
    cpp->following = false;
    /* If hands take back what the host is asked about, it may still accept it. */
    cpp->ready = !cpp->asked;
    if (cpp->ready)
        cpp->move = NO_MOVE;
}

static void ask_about_move(struct cpp *cpp, const struct board *board)
{
    struct cpp_move move = find_move(cpp->position, board);

    cpp->asked = move.from != move.to && !same_move(move, cpp->move);
    cpp->move = move;
    if (cpp->asked)
        say_move(move);
}

void cpp_changed(struct cpp *cpp)
{
    cpp->square_changed = cpp->news = true;
}

void cpp_tell(struct cpp *cpp, const struct board *board)
{
    bool changed = cpp->square_changed;
    uint8_t count;

    if (!cpp->news || port_room() < 2 * CPP_ANSWER_MAX)
        return;
    cpp->square_changed = cpp->news = false;
    if (changed && (cpp->playing ? cpp->streaming && cpp->sync == SYNCED : cpp->watching))
        say_board("state ", board);
    if (!cpp->playing)
        return;
    count = count_changed(cpp->position, board);
    if (count == 0) {
        shows_position(cpp, board);
    } else if (cpp->sync == UNTOLD ||
               (cpp->sync == SYNCED && (count > MOST_CHANGED || has_fault(board)))) {
        cpp->sync = UNSYNCED;
        cpp->ready = false;
        say_board("unsync ", board);
    } else if (cpp->sync == UNSYNCED) {
        if (changed)
            say_board("state ", board);
    } else if (cpp->ready && !cpp->asked) {
        ask_about_move(cpp, board);
    }
}

/* --- commands of the host ---------------------------------------------------------------- */

/* Read a position up to the end of its first field. False if it is none. */
static bool read_position(const char *text, uint8_t *position)
{
    uint8_t rank = 7, file = 0;

    memset(position, EMPTY, SQUARES);
    for (; *text && *text != ' '; text++) {
        if (*text == '/') {
            if (file != 8 || rank-- == 0)
                return false;
            file = 0;
        } else if (*text >= '1' && *text <= '8') {
            file += (uint8_t)(*text - '0');
        } else {
            if (file > 7 || code_of(*text) == EMPTY)
                return false;
            position[8 * rank + file++] = code_of(*text);
        }
        if (file > 8)
            return false;
    }
    return rank == 0 && file == 8;
}

/* The text may end before its second letter, or be empty. */
static bool read_square(const char *text, uint8_t *square)
{
    if (text[0] < 'a' || text[0] > 'h' || text[1] < '1' || text[1] > '8')
        return false;
    *square = (uint8_t)(text[0] - 'a' + 8 * (text[1] - '1'));
    return true;
}

static bool read_move(const struct cpp *cpp, const char *text, struct cpp_move *move)
{
    if (!read_square(text, &move->from) || !read_square(text + 2, &move->to) ||
        cpp->position[move->from] == EMPTY)
        return false;
    move->promotion = code_of(text[4]);
    if (move->promotion && !is_black(cpp->position[move->from]))
        move->promotion -= BLACK;
    return true;
}

static void obey_begin(struct cpp *cpp, const struct board *board, const char *rest)
{
    (void)board;
    cpp->playing = read_position(rest, cpp->position);
    if (!cpp->playing) {
        say("err No position");
        return;
    }
    cpp->asked = cpp->following = cpp->watching = cpp->ready = false;
    cpp->sync = UNTOLD;
    cpp->news = true;
}

/* The host has accepted a move of the board, or makes one itself. */
static void take(struct cpp *cpp, struct cpp_move move)
{
    make_move(cpp->position, move);
    cpp->asked = false;
    cpp->move = NO_MOVE;
    cpp->news = true;
}

static void take_of_host(struct cpp *cpp, const char *rest)
{
    struct cpp_move move;

    if (!read_move(cpp, rest, &move)) {
        say("err No move");
        return;
    }
    cpp->following = true;
    cpp->ready = false;
    take(cpp, move);
}

static bool answer(bool yes)
{
    say(yes ? "ok" : "nok");
    return yes;
}

static void obey_feature(struct cpp *cpp, const struct board *board, const char *name)
{
    (void)board;
    if (!strcmp(name, "state_stream"))
        cpp->streaming = answer(true);
    else if (!strcmp(name, "moved"))
        cpp->announcing = answer(true);
    else
        answer(!strcmp(name, "get_state"));
}

static void obey_variant(struct cpp *cpp, const struct board *board, const char *name)
{
    (void)cpp, (void)board;
    answer(!strcmp(name, "standard"));
}

static void obey_get_state(struct cpp *cpp, const struct board *board, const char *rest)
{
    (void)rest;
    cpp->watching = true;
    say_board("state ", board);
}

static void obey_move(struct cpp *cpp, const struct board *board, const char *move)
{
    (void)board;
    if (cpp->playing)
        take_of_host(cpp, move);
}

static void obey_ok(struct cpp *cpp, const struct board *board, const char *rest)
{
    (void)board, (void)rest;
    if (cpp->playing && cpp->asked)
        take(cpp, cpp->move);
}

static void obey_promote(struct cpp *cpp, const struct board *board, const char *move)
{
    (void)board;
    if (cpp->playing && cpp->asked)
        take_of_host(cpp, move);
}

static void obey_nok(struct cpp *cpp, const struct board *board, const char *rest)
{
    (void)board, (void)rest;
    cpp->asked = false;
    cpp->news = true;
}

static void obey_end(struct cpp *cpp, const struct board *board, const char *reason)
{
    (void)board, (void)reason;
    cpp->playing = false;
}

static void obey_nothing(struct cpp *cpp, const struct board *board, const char *rest)
{
    (void)cpp, (void)board, (void)rest;
}

static const struct {
    const char *word;
    void (*obey)(struct cpp *cpp, const struct board *board, const char *rest);
} COMMANDS[] = {
    {"begin", obey_begin},     {"move", obey_move},
    {"ok", obey_ok},           {"nok", obey_nok},
    {"promote", obey_promote}, {"end", obey_end},
    {"feature", obey_feature}, {"get_state", obey_get_state},
    {"variant", obey_variant}, {"set_variant", obey_nothing},
    {"err", obey_nothing},
};
#define NO_COMMAND (sizeof COMMANDS / sizeof *COMMANDS)

/* The number of the command with which the line begins. */
static uint8_t command_of(const struct cpp *cpp)
{
    uint8_t i = 0, length;

    for (; i < NO_COMMAND; i++) {
        length = (uint8_t)strlen(COMMANDS[i].word);
        if (!strncmp(cpp->line, COMMANDS[i].word, length) &&
            (cpp->line[length] == 0 || cpp->line[length] == ' '))
            break;
    }
    return i;
}

bool cpp_obey(struct cpp *cpp, const struct board *board)
{
    const char *space = strchr(cpp->line, ' ');
    uint8_t command = command_of(cpp);

    if (command < NO_COMMAND)
        COMMANDS[command].obey(cpp, board, space ? space + 1 : "");
    return command < NO_COMMAND;
}

static bool is_of_word(uint8_t byte)
{
    return (byte >= 'a' && byte <= 'z') || byte == '_';
}

bool cpp_hear(struct cpp *cpp, uint8_t byte, bool any_word, bool *ended)
{
    bool in_word = !memchr(cpp->line, ' ', cpp->length);

    *ended = byte == '\n' || byte == '\r';
    if (*ended)
        return true;
    if (in_word && byte == ' ' && !any_word && command_of(cpp) == NO_COMMAND)
        return false;
    if (byte < ' ' || byte > '~' || (in_word && byte != ' ' && !is_of_word(byte)))
        return false;
    if (cpp->length < CPP_LINE_MAX - 1)
        cpp->line[cpp->length++] = (char)byte;
    cpp->line[cpp->length] = 0;
    return true;
}

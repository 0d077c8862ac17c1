/* SPDX-License-Identifier: MIT
 * bvpack-http.c: fetches ranges of one file from a server, for bvpack: a program of its own,
 * because libcurl and what it brings would make every start of bvpack slower, and because whatever
 * a server does to it ends only this.
 *
 * A server may lie. What counts is checked in every answer: that it is the range that was asked
 * for, of a file of the same size and in the same state as at first, and no byte more. What the
 * bytes are is the library's to check.
 *
 * What bvpack hints at is fetched beside what it requests, and waits for its request; if it fails,
 * the request fetches it again and says why. All transfers are one thread's, by curl's multi
 * interface.
 *
 * Proxies, certificates and names are libcurl's matter, by the variables that its users know:
 * https_proxy, no_proxy, SSL_CERT_FILE.
 *
 * Held by tests/cli/test_remote.sh.
 */
#define _GNU_SOURCE /* strcasecmp, PR_SET_PDEATHSIG */
#include <curl/curl.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "remote/remote_protocol.h"

enum {
    TRIES = 4,
    FIRST_PAUSE_MS = 100, /* before the second; then three times as long each time */
    PAUSE_MOST_MS = 10000,
    REDIRECTS = 5,
    CONNECT_SECONDS = 20,
    SILENCE_SECONDS = 30, /* without a byte */
    TAG_SIZE = 256,
    AHEAD = 4 /* hints at a time */
};

/* The headers of the last response that count. */
typedef struct response {
    long code;
    bool has_range, is_encoded;
    uint64_t from, to, total; /* of Content-Range */
    uint64_t length;          /* of Content-Length, or UINT64_MAX */
    char tag[TAG_SIZE], date[TAG_SIZE];
    long retry_after; /* seconds, or -1 */
    uint64_t got;
} response;

/* What was fetched at first is of this file, and so must be all else. */
typedef struct remote_file {
    uint64_t size;
    char tag[TAG_SIZE], date[TAG_SIZE]; /* or "" */
    bool is_open;
} remote_file;

/* A range of the file, on its way or here. */
typedef struct fetcher {
    CURL *curl;
    const remote_file *file;
    struct curl_slist *headers;
    char curl_says[CURL_ERROR_SIZE];
    char text[REMOTE_TEXT_MAX + 1]; /* why it failed */
    uint64_t offset, size;          /* of the range; size 0: none */
    bool is_running;
    CURLcode result; /* when it has ended */
    uint8_t *bytes;
    uint64_t capacity;
    response last;
} fetcher;

typedef struct fetchers {
    CURLM *multi;
    remote_file file;
    fetcher asked, ahead[AHEAD];
    unsigned next; /* of `ahead`, which a hint takes */
} fetchers;

/* ---- what comes in --------------------------------------------------------------------------- */

/* The value of a header of this name, without blanks around it; false: it is another. */
static bool header_is(const char *line, size_t size, const char *name, char *out, size_t capacity)
{
    const size_t length = strlen(name);
    if (size <= length || line[length] != ':' || strncasecmp(line, name, length) != 0)
        return false;
    size_t from = length + 1, to = size;
    while (from < to && (line[from] == ' ' || line[from] == '\t'))
        from++;
    while (to > from && (unsigned char)line[to - 1] <= ' ')
        to--;
    const size_t kept = to - from < capacity - 1 ? to - from : capacity - 1;
    memcpy(out, line + from, kept);
    out[kept] = '\0';
    return true;
}

/* Of a Retry-After in seconds: as many as we would wait; of one that is a date: -1. */
static long seconds_of(const char *value)
{
    if (value[0] < '0' || value[0] > '9')
        return -1;
    const long seconds = strtol(value, NULL, 10);
    return seconds < PAUSE_MOST_MS / 1000 ? seconds : PAUSE_MOST_MS / 1000;
}

static size_t take_header(char *line, size_t one, size_t count, void *user)
{
    fetcher *f = user;
    response *r = &f->last;
    const size_t size = one * count;
    char value[TAG_SIZE];
    if (size > 5 && strncmp(line, "HTTP/", 5) == 0) /* another response begins: after a redirect */
        *r = (response){.length = UINT64_MAX, .retry_after = -1};
    if (header_is(line, size, "content-range", value, sizeof value))
        r->has_range = sscanf(value, "bytes %" SCNu64 "-%" SCNu64 "/%" SCNu64, &r->from, &r->to,
                              &r->total) == 3;
    else if (header_is(line, size, "content-length", value, sizeof value))
        r->length = strtoull(value, NULL, 10);
    else if (header_is(line, size, "content-encoding", value, sizeof value))
        r->is_encoded = strcasecmp(value, "identity") != 0;
    else if (header_is(line, size, "retry-after", value, sizeof value))
        r->retry_after = seconds_of(value);
    else if (header_is(line, size, "etag", value, sizeof value))
        strcpy(r->tag, value);
    else if (header_is(line, size, "last-modified", value, sizeof value))
        strcpy(r->date, value);
    return size;
}

/* More than was asked for is not taken. */
static size_t take_bytes(char *data, size_t one, size_t count, void *user)
{
    fetcher *f = user;
    const size_t size = one * count;
    if (size > f->capacity - f->last.got)
        return 0;
    memcpy(f->bytes + f->last.got, data, size);
    f->last.got += size;
    return size;
}

/* ---- one request ----------------------------------------------------------------------------- */

static bool fail(fetcher *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(fetcher *f, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(f->text, sizeof f->text, format, arguments);
    va_end(arguments);
    return false;
}

/* Worth another try? */
static bool is_passing(CURLcode result, long code)
{
    switch (result) {
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_PARTIAL_FILE:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
        return true;
    case CURLE_OK:
        return code == 408 || code == 429 || code == 500 || code == 502 || code == 503 ||
               code == 504;
    default:
        return false;
    }
}

static void rest(long ms)
{
    struct timespec left = {ms / 1000, ms % 1000 * 1000000};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        ;
}

/* "If the file is still the one that we began with." A weak tag may not be compared so. */
static struct curl_slist *conditions(const remote_file *file)
{
    char line[TAG_SIZE + 32];
    if (file->is_open && file->tag[0] == '"')
        snprintf(line, sizeof line, "If-Match: %s", file->tag);
    else if (file->is_open && file->date[0])
        snprintf(line, sizeof line, "If-Unmodified-Since: %s", file->date);
    else
        return NULL;
    return curl_slist_append(NULL, line);
}

/* Begins to fetch a range. */
static void start(fetchers *all, fetcher *f, uint64_t offset, uint64_t size)
{
    char range[64];
    snprintf(range, sizeof range, "%" PRIu64 "-%" PRIu64, offset, offset + size - 1);
    f->headers = conditions(f->file);
    f->offset = offset;
    f->size = f->capacity = size;
    f->last = (response){.length = UINT64_MAX, .retry_after = -1};
    f->curl_says[0] = '\0';
    curl_easy_setopt(f->curl, CURLOPT_RANGE, range);
    curl_easy_setopt(f->curl, CURLOPT_HTTPHEADER, f->headers);
    f->is_running = curl_multi_add_handle(all->multi, f->curl) == CURLM_OK;
    f->result = CURLE_FAILED_INIT; /* unless it runs */
}

/* Takes a transfer that has ended, or is no longer wanted, from those that run. */
static void stop(fetchers *all, fetcher *f, CURLcode result)
{
    curl_easy_getinfo(f->curl, CURLINFO_RESPONSE_CODE, &f->last.code);
    curl_multi_remove_handle(all->multi, f->curl);
    curl_easy_setopt(f->curl, CURLOPT_HTTPHEADER, NULL);
    curl_slist_free_all(f->headers);
    f->headers = NULL;
    f->result = result;
    f->is_running = false;
}

/* Lets all transfers go on. Returns how many run. */
static int go_on(fetchers *all)
{
    int running = 0, left;
    curl_multi_perform(all->multi, &running);
    for (CURLMsg *m; (m = curl_multi_info_read(all->multi, &left)) != NULL;) {
        fetcher *f = NULL;
        const CURLcode result = m->data.result; /* *m ends with the transfer */
        if (m->msg == CURLMSG_DONE &&
            curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&f) == CURLE_OK && f)
            stop(all, f, result);
    }
    return running;
}

static void wait_for(fetchers *all, const fetcher *f)
{
    while (go_on(all), f->is_running)
        curl_multi_poll(all->multi, NULL, 0, 1000, NULL);
}

/* Of answers that did come: is it the range that was asked for, of the same file? */
static bool check_range(fetcher *f, uint64_t offset, uint64_t size)
{
    const response *r = &f->last;
    if (r->is_encoded)
        return fail(f, "the server compresses the file on the way, so it has no ranges; ask its "
                       "keeper to send it as it is (Content-Encoding: identity)");
    if (!r->has_range)
        return fail(f, "expected a Content-Range in the server's answer, found none");
    if (r->from != offset || r->to < r->from || r->total <= r->to ||
        (f->file->is_open && r->total != f->file->size))
        return fail(f,
                    "asked for bytes %" PRIu64 " to %" PRIu64 ", the server answers with %" PRIu64
                    " to %" PRIu64 " of %" PRIu64 "%s",
                    offset, offset + size - 1, r->from, r->to, r->total,
                    f->file->is_open && r->total != f->file->size ? ": the file has changed" : "");
    const uint64_t left = r->total - offset, expected = size < left ? size : left;
    if (r->to - r->from + 1 != expected || r->got != expected)
        return fail(f, "asked for %" PRIu64 " bytes, the server sends %" PRIu64, expected, r->got);
    if (f->file->is_open && strcmp(r->tag, f->file->tag) != 0)
        return fail(f, "the file has changed on the server (ETag %s, then %s); ask again",
                    f->file->tag[0] ? f->file->tag : "none", r->tag[0] ? r->tag : "none");
    return true;
}

static bool explain(fetcher *f, CURLcode result, uint64_t size)
{
    const response *r = &f->last;
    const char *says = f->curl_says[0] ? f->curl_says : curl_easy_strerror(result);
    if (r->code == 200 && (result == CURLE_OK || result == CURLE_WRITE_ERROR))
        return fail(f, "the server does not answer requests for ranges: it sends the whole file; "
                       "download it, or serve it by one that does");
    if (result == CURLE_WRITE_ERROR)
        return fail(f, "asked for %" PRIu64 " bytes, the server sends more", size);
    if (result != CURLE_OK)
        return fail(f, "%s", says);
    if (r->code == 412)
        return fail(f, "the file has changed on the server while it was read; ask again");
    if (r->code == 416)
        return fail(f, "the server has fewer bytes than were asked for (416): is the file empty?");
    return fail(f, "the server answers %ld%s", r->code,
                r->code == 404   ? " (not found)"
                : r->code == 401 ? " (it wants a name and a password)"
                : r->code == 403 ? " (forbidden)"
                                 : "");
}

/* Gets bytes into f->bytes. False: f->text says why not. */
static bool fetch(fetchers *all, fetcher *f, uint64_t offset, uint64_t size)
{
    long pause = FIRST_PAUSE_MS;
    for (int i = 0; i < TRIES; i++, pause *= 3) {
        if (i > 0) {
            const long told = f->last.retry_after >= 0 ? f->last.retry_after * 1000 : pause;
            rest(told < PAUSE_MOST_MS ? told : PAUSE_MOST_MS);
        }
        start(all, f, offset, size);
        wait_for(all, f);
        if (!is_passing(f->result, f->last.code))
            break;
    }
    if (f->result == CURLE_OK && f->last.code == 206)
        return check_range(f, offset, size);
    /* a server without ranges, and a file that has come as a whole */
    if (f->result == CURLE_OK && f->last.code == 200 && !f->file->is_open && offset == 0 &&
        f->last.got > 0 && !f->last.is_encoded) {
        f->last.total = f->last.got;
        return true;
    }
    return explain(f, f->result, size);
}

/* ---- hints ----------------------------------------------------------------------------------- */

/* Begins to fetch beside what is requested. The oldest hint gives way. */
static void fetch_ahead(fetchers *all, uint64_t offset, uint64_t size)
{
    fetcher *f = &all->ahead[all->next];
    all->next = (all->next + 1) % AHEAD;
    if (f->is_running)
        stop(all, f, CURLE_ABORTED_BY_CALLBACK);
    start(all, f, offset, size);
    go_on(all);
}

/* What was fetched ahead of this request, or NULL. */
static fetcher *take_ahead(fetchers *all, uint64_t offset, uint64_t size)
{
    for (int i = 0; i < AHEAD; i++) {
        fetcher *f = &all->ahead[i];
        if (f->size != size || f->offset != offset)
            continue;
        wait_for(all, f);
        f->size = 0;
        return f->result == CURLE_OK && f->last.code == 206 && check_range(f, offset, size) ? f
                                                                                            : NULL;
    }
    return NULL;
}

/* ---- the other program ----------------------------------------------------------------------- */

static bool answer(const fetcher *f, bool is_good, const char *text)
{
    const remote_answer a = {.magic = REMOTE_MAGIC,
                             .failed = !is_good,
                             .size = is_good ? f->last.got : 0,
                             .file_size = f->file->size,
                             .text_size = (uint32_t)strlen(text)};
    return remote_write(STDOUT_FILENO, &a, sizeof a) &&
           remote_write(STDOUT_FILENO, text, a.text_size) &&
           (!is_good || remote_write(STDOUT_FILENO, f->bytes, (size_t)a.size));
}

/* The first range tells the size and the state of the file. */
static bool begin(fetchers *all, uint32_t wanted)
{
    fetcher *f = &all->asked;
    remote_file *file = &all->file;
    if (!fetch(all, f, 0, wanted))
        return answer(f, false, f->text);
    file->size = f->last.total;
    strcpy(file->tag, f->last.tag);
    strcpy(file->date, f->last.date);
    file->is_open = true;
    return answer(f, true, file->tag[0] ? file->tag : file->date);
}

/* The next request, while transfers go on. False: there is none. */
static bool next_request(fetchers *all, remote_request *out)
{
    struct curl_waitfd input = {.fd = STDIN_FILENO, .events = CURL_WAIT_POLLIN};
    while (input.revents == 0 && go_on(all) > 0)
        curl_multi_poll(all->multi, &input, 1, 1000, NULL);
    return remote_read(STDIN_FILENO, out, sizeof *out);
}

static bool serve(fetchers *all, const remote_request *request)
{
    if (request->size == 0 || request->size > REMOTE_MOST ||
        (request->is_hint && request->size > REMOTE_HINT))
        return false;
    if (request->is_hint) {
        fetch_ahead(all, request->offset, request->size);
        return true;
    }
    const fetcher *ahead = take_ahead(all, request->offset, request->size);
    if (ahead)
        return answer(ahead, true, "");
    const bool is_good = fetch(all, &all->asked, request->offset, request->size);
    return answer(&all->asked, is_good, is_good ? "" : all->asked.text);
}

static bool set_up(fetcher *f, const remote_file *file, const char *url, uint64_t most)
{
    f->file = file;
    f->curl = curl_easy_init();
    f->bytes = malloc(most);
    if (!f->curl || !f->bytes)
        return false;
    curl_easy_setopt(f->curl, CURLOPT_PRIVATE, f);
    curl_easy_setopt(f->curl, CURLOPT_PIPEWAIT, 1L); /* one connection, if it takes several */
    curl_easy_setopt(f->curl, CURLOPT_URL, url);
    curl_easy_setopt(f->curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(f->curl, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(f->curl, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(f->curl, CURLOPT_MAXREDIRS, (long)REDIRECTS);
    curl_easy_setopt(f->curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
    curl_easy_setopt(f->curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(f->curl, CURLOPT_LOW_SPEED_TIME, (long)SILENCE_SECONDS);
    curl_easy_setopt(f->curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(f->curl, CURLOPT_USERAGENT, "bvpack/" PACKAGE_VERSION);
    curl_easy_setopt(f->curl, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(f->curl, CURLOPT_HEADERDATA, f);
    curl_easy_setopt(f->curl, CURLOPT_WRITEFUNCTION, take_bytes);
    curl_easy_setopt(f->curl, CURLOPT_WRITEDATA, f);
    curl_easy_setopt(f->curl, CURLOPT_ERRORBUFFER, f->curl_says);
    return true;
}

static bool set_up_all(fetchers *all, const char *url)
{
    all->multi = curl_multi_init();
    bool is_good = all->multi && set_up(&all->asked, &all->file, url, REMOTE_MOST);
    for (int i = 0; i < AHEAD && is_good; i++)
        is_good = set_up(&all->ahead[i], &all->file, url, REMOTE_HINT);
    return is_good;
}

static void clean_up(fetchers *all)
{
    for (int i = -1; i < AHEAD; i++) {
        fetcher *f = i < 0 ? &all->asked : &all->ahead[i];
        if (f->is_running)
            stop(all, f, CURLE_ABORTED_BY_CALLBACK);
        curl_easy_cleanup(f->curl);
        free(f->bytes);
    }
    curl_multi_cleanup(all->multi);
    curl_global_cleanup();
}

int main(void)
{
    static fetchers all;
    static char url[REMOTE_URL_MAX + 1];
    uint32_t wanted, size;
    remote_request request;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (!remote_read(STDIN_FILENO, &wanted, sizeof wanted) || wanted == 0 || wanted > REMOTE_MOST ||
        !remote_read(STDIN_FILENO, &size, sizeof size) || size == 0 || size > REMOTE_URL_MAX ||
        !remote_read(STDIN_FILENO, url, size)) {
        fprintf(stderr, "bvpack-http: bvpack starts this program to read files from servers\n");
        return 2;
    }
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK || !set_up_all(&all, url))
        return 1;
    bool goes_on = begin(&all, wanted) && all.file.is_open;
    while (goes_on && next_request(&all, &request))
        goes_on = serve(&all, &request);
    clean_up(&all);
    return 0;
}

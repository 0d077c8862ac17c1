// SPDX-License-Identifier: MIT
// bvpack.hpp: the C headers for C++17 and later: handles that close themselves, views, callables.
//
// Each function of the C headers has one here, which calls it and nothing else; the C headers say
// what it answers, its units and its cost. Needs only the standard library; links what the C
// functions that are used need (libbvpack; libbvpack_build for bvp::builder and what writes).
//
// Failures: a macro chooses, because the choice is a project's and not a call's. By default a call
// throws bvp::error and returns its answer. With BVP_EXPECTED defined before the header, and always
// without exceptions (-fno-exceptions), it returns bvp::expected<answer>, which must be looked at.
// Both may be in one program: they are different types. Below, result<T> stands for either.
//
// Callables: any. One that returns nothing never stops; one that returns a bool stops with true,
// as a nonzero int does in C. What it throws does not cross C: the call ends, and throws it again.
// This also holds for callables that the library calls on threads of its own.
//
// Lifetimes: a body points to its file, filter and control, which must outlive it. A file may be
// moved meanwhile; filters and controls stay where they are.
#ifndef BVPACK_HPP
#define BVPACK_HPP

#include "bvpack.h"
#include "bvpack_broad.h"
#include "bvpack_build.h"
#include "bvpack_clash.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#ifdef __cpp_exceptions
#define BVP_HPP_CATCHES 1
#else
#define BVP_HPP_CATCHES 0
#endif
#if BVP_HPP_CATCHES && !defined(BVP_EXPECTED)
#define BVP_HPP_THROWS 1
#else
#define BVP_HPP_THROWS 0
#endif

namespace bvp
{
#if BVP_HPP_THROWS
inline namespace throwing
#else
inline namespace returning
#endif
{

using point = std::array<double, 3>;
using placement = std::array<double, 12>; // row-major 3x4, as of bvp_body
static_assert(sizeof(placement) == 12 * sizeof(double) && sizeof(point) == 3 * sizeof(double));

// ---- views ----------------------------------------------------------------------------------

// Elements of the caller, next to one another: from arrays, vectors, std::span, or any container
// with data() and size().
template <class T> class view
{
    T *data_ = nullptr;
    std::size_t size_ = 0;

  public:
    constexpr view() = default;
    constexpr view(T *data, std::size_t size) : data_(data), size_(size)
    {
    }
    template <class C,
              class Element = std::remove_pointer_t<decltype(std::data(std::declval<C &>()))>,
              class = std::enable_if_t<std::is_convertible_v<Element (*)[], T (*)[]>>>
    constexpr view(C &&from) : data_(std::data(from)), size_(std::size(from))
    {
    }
    constexpr T *data() const
    {
        return data_;
    }
    constexpr std::size_t size() const
    {
        return size_;
    }
    constexpr T *begin() const
    {
        return data_;
    }
    constexpr T *end() const
    {
        return data_ + size_;
    }
    constexpr T &operator[](std::size_t i) const
    {
        return data_[i];
    }
};

// Elements at a distance of `stride` bytes, or those of a view: what a batch reads or writes.
template <class T> class strided
{
    T *data_;
    std::size_t size_, stride_;

  public:
    strided(T *data, std::size_t size, std::size_t stride)
        : data_(data), size_(size), stride_(stride)
    {
    }
    template <class C, class = std::enable_if_t<std::is_constructible_v<view<T>, C &>>>
    strided(C &&from) : data_(view<T>(from).data()), size_(view<T>(from).size()), stride_(0)
    {
    }
    operator bvp_array() const
    {
        return {data_, stride_, size_};
    }
    operator bvp_const_array() const
    {
        return {data_, stride_, size_};
    }
};

inline std::string_view text(const bvp_string &string)
{
    return {string.data, string.size};
}

// ---- failures -------------------------------------------------------------------------------

// A call that failed: its status and, where the C function says more, the details.
class error : public std::exception
{
    bvp_error info_ = {};

  public:
    explicit error(bvp_status status, const bvp_error *details = nullptr)
    {
        if (details)
            info_ = *details;
        info_.status = status;
    }
    bvp_status status() const
    {
        return info_.status;
    }
    const bvp_error &info() const
    {
        return info_;
    }
    const char *what() const noexcept override
    {
        return info_.message[0] ? info_.message : bvp_status_name(info_.status);
    }
};

// An answer or an error. To ask for the one that is not there ends the program.
template <class T> class [[nodiscard]] expected
{
    std::variant<T, bvp::error> held_;

    template <class A, class V> static A &get(V &from)
    {
        if (auto *there = std::get_if<std::remove_const_t<A>>(&from))
            return *there;
        std::abort();
    }

  public:
    expected(T value) : held_(std::in_place_index<0>, std::move(value))
    {
    }
    expected(const bvp::error &failure) : held_(std::in_place_index<1>, failure)
    {
    }
    explicit operator bool() const
    {
        return held_.index() == 0;
    }
    T &operator*() &
    {
        return get<T>(held_);
    }
    const T &operator*() const &
    {
        return get<const T>(held_);
    }
    T operator*() &&
    {
        return std::move(get<T>(held_));
    }
    T *operator->()
    {
        return &get<T>(held_);
    }
    const T *operator->() const
    {
        return &get<const T>(held_);
    }
    const bvp::error &error() const
    {
        return get<const bvp::error>(held_);
    }
};
template <> class [[nodiscard]] expected<void>
{
    std::optional<bvp::error> held_;

  public:
    expected() = default;
    expected(const bvp::error &failure) : held_(failure)
    {
    }
    explicit operator bool() const
    {
        return !held_;
    }
    const bvp::error &error() const
    {
        if (!held_)
            std::abort();
        return *held_;
    }
};

#if BVP_HPP_THROWS
template <class T> using result = T;
#else
template <class T> using result = expected<T>;
#endif

// How many there were, and whether the caller's array was long enough for all.
struct found {
    std::uint64_t count;
    bool complete;
};

namespace detail
{
// What a C function answered, unless it failed.
template <class T> result<T> answer(bvp_status status, T value, const bvp_error *details = nullptr)
{
    if (status != BVP_OK) {
#if BVP_HPP_THROWS
        throw error(status, details);
#else
        return error(status, details);
#endif
    }
    return value;
}

inline result<void> done(bvp_status status, const bvp_error *details = nullptr)
{
    if (status != BVP_OK) {
#if BVP_HPP_THROWS
        throw error(status, details);
#else
        return error(status, details);
#endif
    }
    return result<void>();
}

// An exception on its way around C: kept on one thread, thrown again on another one.
class caught
{
    mutable std::mutex mutex_;
    mutable std::exception_ptr first_;

  public:
    void keep() const noexcept
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!first_)
            first_ = std::current_exception();
    }
    bool any() const
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        return static_cast<bool>(first_);
    }
    void rethrow() const
    {
        std::exception_ptr taken;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            std::swap(taken, first_);
        }
        if (taken)
            std::rethrow_exception(taken);
    }
};

// What f returns; what it throws is kept in `box`, and `otherwise` is returned.
template <class R, class F> R guarded(const caught &box, R otherwise, F &&f) noexcept
{
#if BVP_HPP_CATCHES
    try {
        return f();
    } catch (...) {
        box.keep();
        return otherwise;
    }
#else
    (void)box;
    (void)otherwise;
    return f();
#endif
}

// Does a callable's answer stop the walk?
template <class F, class... A> int stops(F &f, A &&...arguments)
{
    if constexpr (std::is_void_v<std::invoke_result_t<F &, A...>>) {
        std::invoke(f, std::forward<A>(arguments)...);
        return 0;
    } else {
        return std::invoke(f, std::forward<A>(arguments)...) ? 1 : 0;
    }
}

// A callable as the C functions take one: call and the visitor itself as `user`.
template <class Item, class F> class visitor
{
    F &f_;
    caught box_;

  public:
    explicit visitor(F &f) : f_(f)
    {
    }
    static int call(void *user, const Item *item) noexcept
    {
        visitor &self = *static_cast<visitor *>(user);
        return guarded(self.box_, 1, [&] { return stops(self.f_, *item); });
    }
    void rethrow() const
    {
        box_.rethrow();
    }
};
} // namespace detail

inline const char *name(bvp_status status)
{
    return bvp_status_name(status);
}
inline const char *name(bvp_verdict verdict)
{
    return bvp_verdict_name(verdict);
}
inline const char *version()
{
    return bvp_version();
}
inline std::array<std::uint8_t, 16> hash(view<const unsigned char> bytes)
{
    std::array<std::uint8_t, 16> out;
    bvp_hash(bytes.data(), bytes.size(), out.data());
    return out;
}

// ---- ending a call early ----------------------------------------------------------------------

// A bvp_control with any callable: true ends the call. For bodies and for the options of C.
class control
{
    bvp_control c_ = {};
    std::function<bool()> end_;
    detail::caught box_;

    static int call(void *user)
    {
        const control &self = *static_cast<control *>(user);
        return detail::guarded(self.box_, 1, [&] { return self.end_() ? 1 : 0; });
    }

  public:
    control(const control &) = delete;
    control &operator=(const control &) = delete;
    explicit control(std::uint64_t budget, const volatile int *cancel = nullptr)
    {
        c_.budget = budget;
        c_.cancel = cancel;
    }
    explicit control(std::function<bool()> end, std::uint64_t budget = 0) : end_(std::move(end))
    {
        c_.budget = budget;
        c_.callback = call;
        c_.user = this;
    }
    const bvp_control *c() const
    {
        return &c_;
    }
    // Throws what its callable threw, if `of` is the C part of a bvp::control.
    static void rethrow(const bvp_control *of)
    {
        if (of && of->callback == call)
            static_cast<const control *>(of->user)->box_.rethrow();
    }
};

// ---- files ------------------------------------------------------------------------------------

namespace detail
{
// An open file, where it stays while its owner moves.
struct handle {
    bvp_file *file = nullptr;
    caught source;                        // what its source's functions threw
    const bvp_control *control = nullptr; // the one that it was opened with
    handle() = default;
    handle(const handle &) = delete;
    handle &operator=(const handle &) = delete;
    ~handle()
    {
        bvp_close(file);
    }
    void rethrow() const
    {
        source.rethrow();
        control::rethrow(control);
    }
};

template <class S, class = void> struct has_hint : std::false_type {
};
template <class S>
struct has_hint<S,
                std::void_t<decltype(std::declval<S &>().hint(std::uint64_t(), std::uint64_t()))>>
    : std::true_type {
};

// A source of bytes as the C functions take one.
template <class S> struct source_box {
    S source;
    const caught *box;

    static bvp_status read(void *user, std::uint64_t offset, std::uint64_t size, void *out,
                           bvp_error *) noexcept
    {
        auto &self = *static_cast<source_box *>(user);
        const view<unsigned char> bytes(static_cast<unsigned char *>(out),
                                        static_cast<std::size_t>(size));
        return guarded(*self.box, BVP_ERR_SYSTEM, [&] {
            if constexpr (std::is_void_v<decltype(self.source.read(offset, bytes))>) {
                self.source.read(offset, bytes);
                return BVP_OK;
            } else {
                return self.source.read(offset, bytes);
            }
        });
    }
    static void hint(void *user, std::uint64_t offset, std::uint64_t size) noexcept
    {
        auto &self = *static_cast<source_box *>(user);
        guarded(*self.box, 0, [&] {
            if constexpr (has_hint<S>::value)
                self.source.hint(offset, size);
            return 0;
        });
    }
    static void close(void *user) noexcept
    {
        delete static_cast<source_box *>(user);
    }
};
} // namespace detail

// What a source is opened with, as of bvp_source; 0: its defaults.
struct source_limits {
    std::uint64_t cache = 0, grain = 0;
};

// An open file: closed when it goes. Not empty, unless it was moved from.
class file
{
    std::unique_ptr<detail::handle> handle_;

    template <class F> static result<file> opened(const bvp_open_options &options, F &&open)
    {
        file made;
        made.handle_ = std::make_unique<detail::handle>();
        made.handle_->control = options.control;
        bvp_error details = {};
        const bvp_status status = open(*made.handle_, &details);
        if (status != BVP_OK)
            made.handle_->rethrow();
        return detail::answer(status, std::move(made), &details);
    }
    template <class T>
    result<T> answer(bvp_status status, T value, const bvp_error *details = nullptr) const
    {
        if (status != BVP_OK)
            handle_->rethrow();
        return detail::answer(status, std::move(value), details);
    }
    result<void> done(bvp_status status, const bvp_error *details = nullptr) const
    {
        if (status != BVP_OK)
            handle_->rethrow();
        return detail::done(status, details);
    }
    file() = default;

  public:
    static result<file> open(const std::string &path, const bvp_open_options &options = {})
    {
        return opened(options, [&](detail::handle &h, bvp_error *details) {
            return bvp_open(path.c_str(), &options, &h.file, details);
        });
    }
    static result<file> open_fd(int fd, const bvp_open_options &options = {})
    {
        return opened(options, [&](detail::handle &h, bvp_error *details) {
            return bvp_open_fd(fd, &options, &h.file, details);
        });
    }
    // bytes: 64-byte aligned, and the caller's until the file is closed.
    static result<file> open_memory(view<const unsigned char> bytes,
                                    const bvp_open_options &options = {})
    {
        return opened(options, [&](detail::handle &h, bvp_error *details) {
            return bvp_open_memory(bytes.data(), bytes.size(), &options, &h.file, details);
        });
    }
    // Any type with size(), the file's in bytes, and read(offset, view<unsigned char>), which fills
    // the view. read throws, or returns a bvp_status, such as BVP_ERR_AGAIN; it may have
    // hint(offset, size). The source is moved, and goes with the file.
    template <class Source>
    static result<file> open_source(Source source, const bvp_open_options &options = {},
                                    source_limits limits = {})
    {
        return opened(options, [&](detail::handle &h, bvp_error *details) {
            using box = detail::source_box<Source>;
            bvp_source c = {};
            c.size = static_cast<std::uint64_t>(source.size());
            c.read = box::read;
            c.hint = detail::has_hint<Source>::value ? box::hint : nullptr;
            c.close = box::close;
            c.user = new box{std::move(source), &h.source};
            c.cache = limits.cache;
            c.grain = limits.grain;
            return bvp_open_source(&c, &options, &h.file, details);
        });
    }

    bvp_file *c()
    {
        return handle_->file;
    }
    const bvp_file *c() const
    {
        return handle_->file;
    }
    const detail::handle *handle() const
    {
        return handle_.get();
    }

    // What the source said of the last read that failed.
    result<bvp_error> source_error() const
    {
        bvp_error said = {};
        const bvp_status status = bvp_get_source_error(c(), &said);
        return detail::answer(status, said);
    }
    bvp_file_info info() const
    {
        bvp_file_info out;
        bvp_get_info(c(), &out);
        return out;
    }
    result<bvp_part_info> part(std::uint32_t part) const
    {
        bvp_part_info out = {};
        const bvp_status status = bvp_get_part(c(), part, &out);
        return answer(status, out);
    }
    result<bvp_part_identity> part_identity(std::uint32_t part) const
    {
        bvp_part_identity out = {};
        const bvp_status status = bvp_get_part_identity(c(), part, &out);
        return answer(status, out);
    }
    result<bvp_hierarchy_info> hierarchy(std::uint32_t part, std::uint32_t hierarchy) const
    {
        bvp_hierarchy_info out = {};
        const bvp_status status = bvp_get_hierarchy(c(), part, hierarchy, &out);
        return answer(status, out);
    }
    result<bvp_node_info> node(std::uint32_t node) const
    {
        bvp_node_info out = {};
        const bvp_status status = bvp_get_node(c(), node, &out);
        return answer(status, out);
    }
    result<bvp_instance_info> instance(std::uint32_t instance) const
    {
        bvp_instance_info out = {};
        const bvp_status status = bvp_get_instance(c(), instance, &out);
        return answer(status, out);
    }
    // Tables in bulk: how many rows were read. The columns have room for range.count rows each.
    result<std::uint64_t> instances(const bvp_range &range, const bvp_instance_columns &out) const
    {
        std::uint64_t count = 0;
        const bvp_status status = bvp_get_instances(c(), range, &out, &count);
        return answer(status, count);
    }
    result<std::uint64_t> nodes(const bvp_range &range, const bvp_node_columns &out) const
    {
        std::uint64_t count = 0;
        const bvp_status status = bvp_get_nodes(c(), range, &out, &count);
        return answer(status, count);
    }
    // Those from part `first` on, as many as there is room for.
    result<std::uint64_t> parts(std::uint64_t first, view<bvp_part_info> out) const
    {
        std::uint64_t count = 0;
        const bvp_status status =
            bvp_get_parts(c(), bvp_range{first, out.size()}, out.data(), &count);
        return answer(status, count);
    }
    // How many there are, which may be more than there is room for.
    result<std::uint64_t> properties(const bvp_range &nodes, std::uint64_t capacity,
                                     const bvp_property_columns &out) const
    {
        std::uint64_t count = 0;
        const bvp_status status = bvp_get_properties(c(), nodes, capacity, &out, &count);
        return answer(status, count);
    }
    // Key and value, in the mapping.
    result<std::pair<std::string_view, std::string_view>> property(std::uint32_t node,
                                                                   std::uint32_t property) const
    {
        bvp_string key = {}, value = {};
        const bvp_status status = bvp_get_property(c(), node, property, &key, &value);
        return answer(status, std::make_pair(text(key), text(value)));
    }
    result<std::array<std::uint8_t, 32>> digest() const
    {
        std::array<std::uint8_t, 32> out = {};
        bvp_error details = {};
        const bvp_status status = bvp_get_digest(c(), out.data(), &details);
        return answer(status, out, &details);
    }
    result<void> check_part(std::uint32_t part) const
    {
        bvp_error details = {};
        const bvp_status status = bvp_check_part(c(), part, &details);
        return done(status, &details);
    }
    // Nine coordinates, in part coordinates; *id, unless NULL: the number in the source.
    result<std::array<float, 9>> triangle(std::uint32_t part, std::uint64_t triangle,
                                          std::uint64_t *id = nullptr) const
    {
        std::array<float, 9> out = {};
        std::uint64_t number = 0;
        const bvp_status status = bvp_get_triangle(c(), part, triangle, out.data(), &number);
        if (id)
            *id = number;
        return answer(status, out);
    }
    // Either view may be empty; else room for nine floats or one number a triangle.
    result<std::uint64_t> triangles(std::uint32_t part, bvp_range range, view<float> positions,
                                    view<std::uint64_t> ids = {}) const
    {
        if ((positions.size() && positions.size() / 9 < range.count) ||
            (ids.size() && ids.size() < range.count))
            return detail::answer(BVP_ERR_ARGUMENT, std::uint64_t());
        std::uint64_t count = 0;
        const bvp_status status =
            bvp_get_triangles(c(), part, range, positions.size() ? positions.data() : nullptr,
                              ids.size() ? ids.data() : nullptr, &count);
        return answer(status, count);
    }
    result<std::vector<bvp_colour_run>> colours(std::uint32_t node) const
    {
        std::uint32_t count = 0;
        bvp_status status = bvp_get_colours(c(), node, nullptr, 0, &count);
        std::vector<bvp_colour_run> runs(status == BVP_OK ? count : 0);
        if (!runs.empty())
            status = bvp_get_colours(c(), node, runs.data(), count, &count);
        return answer(status, std::move(runs));
    }
    // From `first` on, as many as there is room for, three floats each; an empty view: counts all.
    result<std::uint64_t> vertices(std::uint32_t part, std::uint64_t first,
                                   view<float> positions) const
    {
        std::uint64_t count = 0;
        const bool counts = positions.size() == 0;
        const bvp_status status =
            bvp_get_vertices(c(), part, first, counts ? UINT64_MAX : positions.size() / 3,
                             counts ? nullptr : positions.data(), &count);
        return answer(status, count);
    }
    result<std::uint64_t> corners(std::uint32_t part, std::uint64_t first,
                                  view<std::uint64_t> corners) const
    {
        std::uint64_t count = 0;
        const bvp_status status =
            bvp_get_corners(c(), part, first, corners.size() / 3, corners.data(), &count);
        return answer(status, count);
    }
    // positions: three floats a vertex.
    result<void> refit(std::uint32_t part, view<const float> positions)
    {
        bvp_error details = {};
        const bvp_status status =
            bvp_refit(c(), part, positions.data(), positions.size() / 3, &details);
        return done(status, &details);
    }
    result<void> bind(std::uint32_t part, view<const bvp_buffers> buffers)
    {
        bvp_error details = {};
        const bvp_status status = bvp_bind(c(), part, buffers.data(),
                                           static_cast<std::uint32_t>(buffers.size()), &details);
        return done(status, &details);
    }
    result<std::vector<bvp_buffers>> buffers(std::uint32_t part) const
    {
        std::uint32_t count = 0;
        bvp_status status = bvp_get_buffers(c(), part, nullptr, 0, &count);
        std::vector<bvp_buffers> out(status == BVP_OK ? count : 0);
        if (!out.empty())
            status = bvp_get_buffers(c(), part, out.data(), count, &count);
        return answer(status, std::move(out));
    }
    result<std::string> provenance() const
    {
        std::size_t size = 0;
        bvp_error details = {};
        bvp_status status = bvp_get_provenance(c(), nullptr, 0, &size, &details);
        std::string out(status == BVP_OK ? size : 0, '\0');
        if (!out.empty())
            status = bvp_get_provenance(c(), out.data(), out.size(), &size, &details);
        return answer(status, std::move(out), &details);
    }

    // Without a callable these stop at the first finding, which is the error.
    result<void> verify() const
    {
        bvp_error details = {};
        const bvp_status status = bvp_verify_file(c(), nullptr, nullptr, &details);
        return done(status, &details);
    }
    template <class F> result<void> verify(F &&finding) const
    {
        detail::visitor<bvp_finding, F> visitor(finding);
        bvp_error details = {};
        const bvp_status status = bvp_verify_file(c(), visitor.call, &visitor, &details);
        visitor.rethrow();
        return done(status, &details);
    }
    result<void> verify_part(std::uint32_t part) const
    {
        bvp_error details = {};
        const bvp_status status = bvp_verify_part(c(), part, nullptr, nullptr, &details);
        return done(status, &details);
    }
    template <class F> result<void> verify_part(std::uint32_t part, F &&finding) const
    {
        detail::visitor<bvp_finding, F> visitor(finding);
        bvp_error details = {};
        const bvp_status status = bvp_verify_part(c(), part, visitor.call, &visitor, &details);
        visitor.rethrow();
        return done(status, &details);
    }
    template <class F> result<void> annotate(F &&annotation) const
    {
        detail::visitor<bvp_annotation, F> visitor(annotation);
        const bvp_status status = bvp_annotate(c(), visitor.call, &visitor);
        visitor.rethrow();
        return done(status);
    }
    template <class F> result<void> boxes(std::uint32_t part, std::uint32_t level, F &&box) const
    {
        detail::visitor<bvp_box, F> visitor(box);
        const bvp_status status = bvp_boxes(c(), part, level, visitor.call, &visitor);
        visitor.rethrow();
        return done(status);
    }
    template <class F>
    result<void> volumes(std::uint32_t part, bvp_kind kind, std::uint32_t level, F &&volume) const
    {
        detail::visitor<bvp_volume, F> visitor(volume);
        const bvp_status status = bvp_volumes(c(), part, kind, level, visitor.call, &visitor);
        visitor.rethrow();
        return done(status);
    }

    // ---- writing it again: libbvpack_build ----

    result<void> save(const std::string &path, const char *provenance = nullptr) const
    {
        bvp_error details = {};
        const bvp_status status = bvp_save(c(), provenance, path.c_str(), &details);
        return done(status, &details);
    }
    result<void> save_fd(int fd, const char *provenance = nullptr) const
    {
        bvp_error details = {};
        const bvp_status status = bvp_save_fd(c(), provenance, fd, &details);
        return done(status, &details);
    }
    result<void> convert_fd(int fd, bool thin, const char *store = nullptr) const
    {
        bvp_error details = {};
        const bvp_status status = bvp_convert_fd(c(), thin, store, fd, &details);
        return done(status, &details);
    }
    result<void> repack_fd(int fd, const bvp_build_options &options = {}) const
    {
        bvp_error details = {};
        const bvp_status status = bvp_repack_fd(c(), &options, fd, &details);
        return done(status, &details);
    }
};

// The four bytes of a triangle's colour, or NULL.
inline const std::uint8_t *find_colour(view<const bvp_colour_run> runs, std::uint64_t id)
{
    return bvp_find_colour(runs.data(), static_cast<std::uint32_t>(runs.size()), id);
}

// Checks bytes that need not be a file that opens. bytes: 64-byte aligned. thread_count: 0: one per
// processor.
inline result<void> verify(view<const unsigned char> bytes, const control *control = nullptr,
                           std::uint32_t thread_count = 1)
{
    bvp_verify_options options = {};
    options.control = control ? control->c() : nullptr;
    options.thread_count = thread_count;
    bvp_error details = {};
    const bvp_status status = bvp_verify_with(bytes.data(), bytes.size(), &options, &details);
    if (control)
        control::rethrow(control->c());
    return detail::done(status, &details);
}
template <class F> result<void> verify(view<const unsigned char> bytes, F &&finding)
{
    detail::visitor<bvp_finding, F> visitor(finding);
    bvp_error details = {};
    const bvp_status status =
        bvp_verify(bytes.data(), bytes.size(), visitor.call, &visitor, &details);
    visitor.rethrow();
    return detail::done(status, &details);
}

// ---- bodies -----------------------------------------------------------------------------------

// A group of instances; empty at first. Bodies point to it.
class filter
{
    std::vector<std::uint64_t> bits_;
    bvp_filter c_;

  public:
    explicit filter(const file &of, bool exclude = false)
        : bits_((of.info().instance_count + std::size_t(63)) / 64), c_{bits_.data(), bits_.size(),
                                                                       exclude}
    {
    }
    filter(const filter &) = delete;
    filter &operator=(const filter &) = delete;
    const bvp_filter *c() const
    {
        return &c_;
    }
    view<std::uint64_t> bits()
    {
        return bits_;
    }
    void add(std::uint32_t instance) // of the file
    {
        bits_[instance / 64] |= std::uint64_t(1) << instance % 64;
    }
    result<void> add_subtree(const file &of, std::uint32_t node)
    {
        return detail::done(bvp_filter_subtree(of.c(), node, bits_.data(), bits_.size()));
    }
    void exclude(bool yes)
    {
        c_.exclude = yes;
    }
};

struct itself_t {
};
// In queries between two bodies: the instances of one body against one another.
inline constexpr itself_t itself = {};

class body;
// The second body of a query, or itself.
class opponent
{
    const body *body_ = nullptr;

  public:
    opponent(itself_t)
    {
    }
    opponent(const body &other) : body_(&other)
    {
    }
    const body *get() const
    {
        return body_;
    }
};

// A part, or the assembly of a file, where it stands: bvp_body with a placement of its own. Queries
// may be asked from any number of threads while nobody changes it.
class body
{
    const detail::handle *handle_;
    bvp_body c_ = {};
    std::optional<placement> placement_;

    void rethrow() const
    {
        control::rethrow(c_.control);
        handle_->rethrow();
    }
    template <class T>
    result<T> answer(bvp_status status, T value, const body *other = nullptr) const
    {
        if (status != BVP_OK) {
            rethrow();
            if (other)
                other->rethrow();
        }
        return detail::answer(status, std::move(value));
    }
    result<void> done(bvp_status status, const body *other = nullptr) const
    {
        if (status != BVP_OK) {
            rethrow();
            if (other)
                other->rethrow();
        }
        return detail::done(status);
    }
    // A full array is no failure: the caller sees that there are more.
    result<found> filled(bvp_status status, std::uint64_t count, std::size_t room,
                         const body *other = nullptr) const
    {
        const bool full = status == BVP_ERR_LIMIT && count == room;
        return answer(full ? BVP_OK : status, found{count, !full}, other);
    }
    // b as C takes it: NULL for itself.
    class second
    {
        bvp_body c_ = {};
        const body *body_;

      public:
        explicit second(opponent of) : body_(of.get())
        {
            if (body_)
                c_ = body_->c();
        }
        const bvp_body *c() const
        {
            return body_ ? &c_ : nullptr;
        }
        const body *get() const
        {
            return body_;
        }
    };

  public:
    explicit body(const file &of, std::uint32_t part = BVP_ASSEMBLY) : handle_(of.handle())
    {
        c_.file = of.c();
        c_.part = part;
    }
    body &place(const placement &at)
    {
        placement_ = at;
        return *this;
    }
    body &see(const filter &seen)
    {
        c_.filter = seen.c();
        return *this;
    }
    body &end_by(const control &ends)
    {
        c_.control = ends.c();
        return *this;
    }
    // As C takes it, while this body stays where it is.
    bvp_body c() const
    {
        bvp_body out = c_;
        out.placement = placement_ ? placement_->data() : nullptr;
        return out;
    }

    // ---- two bodies ----

    result<bool> collide(opponent other, bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c();
        const second b(other);
        int hit = 0;
        const bvp_status status = bvp_collide(&a, b.c(), &hit, stats);
        return answer(status, hit != 0, b.get());
    }
    template <class F>
    result<std::uint64_t> pairs_each(opponent other, F &&pair, bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c();
        const second b(other);
        detail::visitor<bvp_pair, F> visitor(pair);
        std::uint64_t count = 0;
        const bvp_status status = bvp_pairs_each(&a, b.c(), visitor.call, &visitor, &count, stats);
        visitor.rethrow();
        return answer(status, count, b.get());
    }
    result<found> pairs(opponent other, view<bvp_pair> pairs, bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c();
        const second b(other);
        std::uint64_t count = 0;
        const bvp_status status = bvp_pairs(&a, b.c(), pairs.data(), pairs.size(), &count, stats);
        return filled(status, count, pairs.size(), b.get());
    }
    result<bvp_distance_result> distance(opponent other, double limit = HUGE_VAL,
                                         bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c();
        const second b(other);
        bvp_distance_result out = {};
        const bvp_status status = bvp_distance(&a, b.c(), limit, &out, stats);
        return answer(status, out, b.get());
    }
    result<bvp_distance_result> distance_about(opponent other, double limit, double tolerance,
                                               bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c();
        const second b(other);
        bvp_distance_result out = {};
        const bvp_status status = bvp_distance_about(&a, b.c(), limit, tolerance, &out, stats);
        return answer(status, out, b.get());
    }
    // *witness, unless NULL: a pair that is so near.
    result<bool> within(opponent other, double delta, bvp_distance_result *witness = nullptr,
                        bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c();
        const second b(other);
        int yes = 0;
        const bvp_status status = bvp_within(&a, b.c(), delta, &yes, witness, stats);
        return answer(status, yes != 0, b.get());
    }
    result<bool> collide_warm(opponent other, bvp_warm_start &warm,
                              bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c();
        const second b(other);
        int hit = 0;
        const bvp_status status = bvp_collide_warm(&a, b.c(), &warm, &hit, stats);
        return answer(status, hit != 0, b.get());
    }
    result<bvp_distance_result> distance_warm(opponent other, double limit, bvp_warm_start &warm,
                                              bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c();
        const second b(other);
        bvp_distance_result out = {};
        const bvp_status status = bvp_distance_warm(&a, b.c(), limit, &warm, &out, stats);
        return answer(status, out, b.get());
    }
    result<bool> within_warm(opponent other, double delta, bvp_warm_start &warm,
                             bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c();
        const second b(other);
        int yes = 0;
        const bvp_status status = bvp_within_warm(&a, b.c(), delta, &warm, &yes, stats);
        return answer(status, yes != 0, b.get());
    }

    // contacts: room for the deepest of them, which may be none; the answer says how many there
    // are. A call that its control ends fails; bvp_penetration() then has the bounds until there.
    result<bvp_penetration_result> penetration(const body &other,
                                               strided<bvp_contact> contacts) const
    {
        const bvp_body a = c(), b = other.c();
        bvp_penetration_result out = {};
        const bvp_status status = bvp_penetration(&a, &b, contacts, &out);
        return answer(status, out, &other);
    }

    // ---- one body ----

    result<bvp_ray_hit> ray_first(const bvp_ray &ray, bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c();
        bvp_ray_hit hit = {};
        const bvp_status status = bvp_ray_first(&a, &ray, &hit, stats);
        return answer(status, hit);
    }
    result<bool> ray_any(const bvp_ray &ray, bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c();
        int hit = 0;
        const bvp_status status = bvp_ray_any(&a, &ray, &hit, stats);
        return answer(status, hit != 0);
    }
    template <class F>
    result<std::uint64_t> ray_all(const bvp_ray &ray, F &&hit, bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c();
        detail::visitor<bvp_ray_hit, F> visitor(hit);
        std::uint64_t count = 0;
        const bvp_status status = bvp_ray_all(&a, &ray, visitor.call, &visitor, &count, stats);
        visitor.rethrow();
        return answer(status, count);
    }
    result<bvp_float_hit> float_ray_first(const bvp_float_ray &ray,
                                          bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c();
        bvp_float_hit hit = {};
        const bvp_status status = bvp_float_ray_first(&a, &ray, &hit, stats);
        return answer(status, hit);
    }
    result<bool> float_ray_any(const bvp_float_ray &ray, bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c();
        int hit = 0;
        const bvp_status status = bvp_float_ray_any(&a, &ray, &hit, stats);
        return answer(status, hit != 0);
    }
    result<bvp_closest_result> closest(const point &to, double max_distance = HUGE_VAL,
                                       bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c();
        bvp_closest_result out = {};
        const bvp_status status = bvp_closest(&a, to.data(), max_distance, &out, stats);
        return answer(status, out);
    }
    result<bvp_inside_result> inside(const point &at, bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c();
        bvp_inside_result out = {};
        const bvp_status status = bvp_inside(&a, at.data(), &out, stats);
        return answer(status, out);
    }
    result<bvp_signed_result> signed_closest(const point &to, double max_distance = HUGE_VAL,
                                             bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c();
        bvp_signed_result out = {};
        const bvp_status status = bvp_signed_closest(&a, to.data(), max_distance, &out, stats);
        return answer(status, out);
    }
    template <class F>
    result<std::uint64_t> overlap(const bvp_region &region, F &&hit,
                                  bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c();
        detail::visitor<bvp_hit_id, F> visitor(hit);
        std::uint64_t count = 0;
        const bvp_status status = bvp_overlap(&a, region, visitor.call, &visitor, &count, stats);
        visitor.rethrow();
        return answer(status, count);
    }
    // candidate(id, corners): 3 x 3 doubles, in the query's world.
    template <class F>
    result<std::uint64_t> candidates_box(const point &lo, const point &hi, F &&candidate,
                                         bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c();
        struct call {
            F &f;
            detail::caught box;
            static int run(void *user, const bvp_hit_id *id, const double corners[9]) noexcept
            {
                call &self = *static_cast<call *>(user);
                return detail::guarded(self.box, 1,
                                       [&] { return detail::stops(self.f, *id, corners); });
            }
        } passed{candidate, {}};
        std::uint64_t count = 0;
        const bvp_status status =
            bvp_candidates_box(&a, lo.data(), hi.data(), call::run, &passed, &count, stats);
        passed.box.rethrow();
        return answer(status, count);
    }
    result<bool> convex_collide(const bvp_convex &convex, bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c();
        int hit = 0;
        const bvp_status status = bvp_convex_collide(&a, &convex, &hit, stats);
        return answer(status, hit != 0);
    }
    template <class F>
    result<std::uint64_t> convex_each(const bvp_convex &convex, F &&hit,
                                      bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c();
        detail::visitor<bvp_hit_id, F> visitor(hit);
        std::uint64_t count = 0;
        const bvp_status status =
            bvp_convex_each(&a, &convex, visitor.call, &visitor, &count, stats);
        visitor.rethrow();
        return answer(status, count);
    }
    result<bvp_distance_result> convex_distance(const bvp_convex &convex, double limit = HUGE_VAL,
                                                bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c();
        bvp_distance_result out = {};
        const bvp_status status = bvp_convex_distance(&a, &convex, limit, &out, stats);
        return answer(status, out);
    }
    result<bool> convex_within(const bvp_convex &convex, double delta,
                               bvp_distance_result *witness = nullptr,
                               bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c();
        int yes = 0;
        const bvp_status status = bvp_convex_within(&a, &convex, delta, &yes, witness, stats);
        return answer(status, yes != 0);
    }
    result<found> instances_in(const bvp_region &region, bool by_triangles,
                               view<std::uint32_t> instances, bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c();
        std::uint64_t count = 0;
        const bvp_status status = bvp_instances_in(
            &a, region, by_triangles, {instances.data(), 0, instances.size()}, &count, stats);
        return filled(status, count, instances.size());
    }
    result<std::uint64_t> nearest_instances(const point &to, double max_distance,
                                            strided<bvp_closest_result> nearest,
                                            bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c();
        std::uint64_t count = 0;
        const bvp_status status =
            bvp_nearest_instances(&a, to.data(), max_distance, nearest, &count, stats);
        return answer(status, count);
    }

    // ---- batches; *done, unless NULL: how many are complete, also when the batch fails ----

    result<void> ray_first_batch(strided<const bvp_ray> rays, strided<bvp_ray_hit> hits,
                                 std::size_t *done = nullptr, bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c();
        return this->done(bvp_ray_first_batch(&a, rays, hits, done, stats));
    }
    result<void> ray_any_batch(strided<const bvp_ray> rays, strided<int> hits,
                               std::size_t *done = nullptr, bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c();
        return this->done(bvp_ray_any_batch(&a, rays, hits, done, stats));
    }
    result<void> float_ray_first_batch(strided<const bvp_float_ray> rays,
                                       strided<bvp_float_hit> hits, std::size_t *done = nullptr,
                                       bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c();
        return this->done(bvp_float_ray_first_batch(&a, rays, hits, done, stats));
    }
    result<void> float_ray_any_batch(strided<const bvp_float_ray> rays, strided<int> hits,
                                     std::size_t *done = nullptr, bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c();
        return this->done(bvp_float_ray_any_batch(&a, rays, hits, done, stats));
    }
    result<void> closest_batch(strided<const point> points, double max_distance,
                               strided<bvp_closest_result> nearest, std::size_t *done = nullptr,
                               bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c();
        return this->done(bvp_closest_batch(&a, points, max_distance, nearest, done, stats));
    }
    result<void> inside_batch(strided<const point> points, strided<bvp_inside_result> results,
                              std::size_t *done = nullptr, bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c();
        return this->done(bvp_inside_batch(&a, points, results, done, stats));
    }
    result<void> signed_closest_batch(strided<const point> points, double max_distance,
                                      strided<bvp_signed_result> results,
                                      std::size_t *done = nullptr, bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c();
        return this->done(bvp_signed_closest_batch(&a, points, max_distance, results, done, stats));
    }
    // The other body at many placements instead of its own.
    result<void> collide_batch(const body &other, strided<const placement> placements,
                               strided<int> hits, std::size_t *done = nullptr,
                               bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c(), b = other.c();
        const bvp_status status = bvp_collide_batch(&a, &b, placements, hits, done, stats);
        return this->done(status, &other);
    }
    result<void> distance_batch(const body &other, strided<const placement> placements,
                                double limit, strided<bvp_distance_result> results,
                                std::size_t *done = nullptr, bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c(), b = other.c();
        const bvp_status status =
            bvp_distance_batch(&a, &b, placements, limit, results, done, stats);
        return this->done(status, &other);
    }
    result<void> distance_about_batch(const body &other, strided<const placement> placements,
                                      double limit, double tolerance,
                                      strided<bvp_distance_result> results,
                                      std::size_t *done = nullptr, bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c(), b = other.c();
        const bvp_status status =
            bvp_distance_about_batch(&a, &b, placements, limit, tolerance, results, done, stats);
        return this->done(status, &other);
    }
    result<void> within_batch(const body &other, strided<const placement> placements, double delta,
                              strided<int> hits, std::size_t *done = nullptr,
                              bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c(), b = other.c();
        const bvp_status status = bvp_within_batch(&a, &b, placements, delta, hits, done, stats);
        return this->done(status, &other);
    }
    result<void> collide_warm_batch(const body &other, strided<const placement> placements,
                                    bvp_warm_start &warm, strided<int> hits,
                                    std::size_t *done = nullptr, bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c(), b = other.c();
        const bvp_status status =
            bvp_collide_warm_batch(&a, &b, placements, &warm, hits, done, stats);
        return this->done(status, &other);
    }
    result<void> distance_warm_batch(const body &other, strided<const placement> placements,
                                     double limit, bvp_warm_start &warm,
                                     strided<bvp_distance_result> results,
                                     std::size_t *done = nullptr, bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c(), b = other.c();
        const bvp_status status =
            bvp_distance_warm_batch(&a, &b, placements, limit, &warm, results, done, stats);
        return this->done(status, &other);
    }
    result<void> within_warm_batch(const body &other, strided<const placement> placements,
                                   double delta, bvp_warm_start &warm, strided<int> hits,
                                   std::size_t *done = nullptr, bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c(), b = other.c();
        const bvp_status status =
            bvp_within_warm_batch(&a, &b, placements, delta, &warm, hits, done, stats);
        return this->done(status, &other);
    }
    // Boxes of lo and hi. How many of them are complete: fewer than there are where hits are full.
    result<std::size_t> overlap_batch(strided<const std::array<double, 6>> boxes,
                                      strided<std::uint64_t> offsets, strided<bvp_hit_id> hits,
                                      bvp_stats *stats = nullptr) const
    {
        const bvp_body a = c();
        std::size_t done = 0;
        const bvp_status status = bvp_overlap_batch(&a, boxes, offsets, hits, &done, stats);
        return answer(status == BVP_ERR_LIMIT ? BVP_OK : status, done);
    }
};

// ---- clash detection ----------------------------------------------------------------------------

// What a run calls besides: both may be empty. rule is called on any of its threads, at one time.
struct clash_hooks {
    // true leaves the pair out; may change the limits
    std::function<bool(std::uint32_t a, std::uint32_t b, bvp_clash_limits &limits)> rule;
    // true stops
    std::function<bool(std::uint32_t done, std::uint32_t total, const bvp_clash_coverage &)>
        progress;
};

namespace detail
{
struct clash_calls {
    const clash_hooks &hooks;
    caught box;

    static int rule(void *user, std::uint32_t a, std::uint32_t b, bvp_clash_limits *limits) noexcept
    {
        auto &self = *static_cast<clash_calls *>(user);
        return guarded(self.box, 0, [&] {
            if (self.box.any()) {
                limits->clearance = -1; // such limits end the run
                return 0;
            }
            return self.hooks.rule(a, b, *limits) ? 1 : 0;
        });
    }
    static int progress(void *user, std::uint32_t done, std::uint32_t total,
                        const bvp_clash_coverage *coverage) noexcept
    {
        auto &self = *static_cast<clash_calls *>(user);
        return guarded(self.box, 1, [&] {
            return self.box.any() || self.hooks.progress(done, total, *coverage) ? 1 : 0;
        });
    }
};
} // namespace detail

inline double clash_touch_gap(const bvp_file *a, const bvp_file *b = nullptr)
{
    return bvp_clash_touch_gap(a, b);
}
inline double clash_coordinate_gap(const bvp_file *a, const bvp_file *b = nullptr)
{
    return bvp_clash_coordinate_gap(a, b);
}

// All pairs that are not clear, in order, one call at a time. Hooks take the place of the options'
// rule and progress. After a rule has thrown, no further pair is examined.
template <class F>
result<bvp_clash_coverage> clash(const bvp_clash_scene &scene, bvp_clash_options options, F &&pair,
                                 const clash_hooks &hooks = {})
{
    detail::clash_calls calls{hooks, {}};
    if (hooks.rule) {
        options.rule = calls.rule;
        options.rule_user = &calls;
    }
    if (hooks.progress) {
        options.progress = calls.progress;
        options.progress_user = &calls;
    }
    detail::visitor<bvp_clash_pair, F> visitor(pair);
    bvp_clash_coverage coverage = {};
    bvp_error details = {};
    const bvp_status status =
        bvp_clash(&scene, &options, visitor.call, &visitor, &coverage, &details);
    calls.box.rethrow();
    visitor.rethrow();
    if (status != BVP_OK)
        control::rethrow(options.control);
    return detail::answer(status, coverage, &details);
}
inline result<std::vector<bvp_clash_range>> clash_share(const bvp_clash_scene &scene,
                                                        const bvp_clash_options &options,
                                                        std::uint32_t index, std::uint32_t count)
{
    std::vector<bvp_clash_range> ranges(BVP_CLASH_SHARE_RANGES);
    std::uint32_t used = 0;
    bvp_error details = {};
    const bvp_status status =
        bvp_clash_share(&scene, &options, index, count, ranges.data(), &used, &details);
    ranges.resize(used);
    return detail::answer(status, std::move(ranges), &details);
}
inline result<bvp_clash_pair> clash_one(const bvp_clash_scene &scene, std::uint32_t a,
                                        std::uint32_t b, const bvp_clash_limits &limits,
                                        bvp_clash_detail detail)
{
    bvp_clash_pair pair = {};
    const bvp_status status = bvp_clash_one(&scene, a, b, &limits, detail, &pair);
    return bvp::detail::answer(status, pair);
}
inline result<bvp_clash_pair> clash_one(const file &of, std::uint32_t instance,
                                        const bvp_clash_zone &zone, const bvp_clash_limits &limits,
                                        bvp_clash_detail detail)
{
    bvp_clash_pair pair = {};
    const bvp_status status = bvp_clash_one_zone(of.c(), instance, &zone, &limits, detail, &pair);
    return bvp::detail::answer(status, pair);
}

// ---- broad phase --------------------------------------------------------------------------------

class broad
{
    struct freed {
        void operator()(bvp_broad *c) const
        {
            bvp_broad_free(c);
        }
    };
    std::unique_ptr<bvp_broad, freed> c_;

    broad() = default;
    static bvp_broad_body as_added(const bvp_body &body, std::uint32_t layers,
                                   std::uint32_t ignores, void *user)
    {
        bvp_broad_body added = {};
        added.body = body;
        added.layers = layers;
        added.ignores = ignores;
        added.user = user;
        return added;
    }

  public:
    static result<broad> make(const bvp_broad_options &options = {})
    {
        broad made;
        bvp_broad *c = nullptr;
        const bvp_status status = bvp_broad_new(&options, &c);
        made.c_.reset(c);
        return detail::answer(status, std::move(made));
    }
    bvp_broad *c() const
    {
        return c_.get();
    }

    // The body may go; its file, filter and control stay until it is removed.
    result<bvp_broad_id> add(const body &added, std::uint32_t layers = 0, std::uint32_t ignores = 0,
                             void *user = nullptr)
    {
        const bvp_broad_body in = as_added(added.c(), layers, ignores, user);
        bvp_broad_id id = 0;
        const bvp_status status = bvp_broad_add(c(), &in, &id);
        return detail::answer(status, id);
    }
    result<void> replace(bvp_broad_id id, const body &added, std::uint32_t layers = 0,
                         std::uint32_t ignores = 0, void *user = nullptr)
    {
        const bvp_broad_body in = as_added(added.c(), layers, ignores, user);
        return detail::done(bvp_broad_replace(c(), id, &in));
    }
    result<void> move(bvp_broad_id id, const placement &to)
    {
        return detail::done(bvp_broad_move(c(), id, to.data()));
    }
    // *moved, unless NULL: how many, also when the call fails. As many ids as placements.
    result<void> move(view<const bvp_broad_id> ids, view<const placement> to,
                      std::uint64_t *moved = nullptr)
    {
        if (ids.size() != to.size())
            return detail::done(BVP_ERR_ARGUMENT);
        std::uint64_t count = 0;
        const bvp_status status = bvp_broad_move_all(
            c(), ids.data(), reinterpret_cast<const double(*)[12]>(to.data()), to.size(), &count);
        if (moved)
            *moved = count;
        return detail::done(status);
    }
    result<void> remove(bvp_broad_id id)
    {
        return detail::done(bvp_broad_remove(c(), id));
    }
    result<bvp_broad_body> get(bvp_broad_id id) const
    {
        bvp_broad_body out = {};
        const bvp_status status = bvp_broad_get(c(), id, &out);
        return detail::answer(status, out);
    }
    result<std::pair<point, point>> box(bvp_broad_id id) const
    {
        point lo = {}, hi = {};
        const bvp_status status = bvp_broad_box(c(), id, lo.data(), hi.data());
        return detail::answer(status, std::make_pair(lo, hi));
    }
    result<bvp_broad_changes> update()
    {
        bvp_broad_changes changes = {};
        const bvp_status status = bvp_broad_update(c(), &changes);
        return detail::answer(status, changes);
    }
    // Valid until the next update.
    result<view<const bvp_broad_pair>> pairs() const
    {
        const bvp_broad_pair *pairs = nullptr;
        std::uint64_t count = 0;
        const bvp_status status = bvp_broad_pairs(c(), &pairs, &count);
        return detail::answer(status,
                              view<const bvp_broad_pair>(pairs, static_cast<std::size_t>(count)));
    }
    result<found> in_box(const point &lo, const point &hi, view<bvp_broad_id> ids) const
    {
        std::uint64_t count = 0;
        const bvp_status status =
            bvp_broad_in_box(c(), lo.data(), hi.data(), ids.data(), ids.size(), &count);
        return filled(status, count, ids.size());
    }
    result<found> near(const body &to, view<bvp_broad_id> ids) const
    {
        const bvp_body near = to.c();
        std::uint64_t count = 0;
        const bvp_status status = bvp_broad_near(c(), &near, ids.data(), ids.size(), &count);
        return filled(status, count, ids.size());
    }

  private:
    static result<found> filled(bvp_status status, std::uint64_t count, std::size_t room)
    {
        const bool full = status == BVP_ERR_LIMIT && count == room;
        return detail::answer(full ? BVP_OK : status, found{count, !full});
    }
};

// ---- writing: libbvpack_build -------------------------------------------------------------------

// What a builder calls besides: both may be empty. progress may be called on any of its threads.
struct build_hooks {
    std::function<void(const char *stage, std::uint64_t done, std::uint64_t total)> progress;
    // a file that stays open during the call, or NULL
    std::function<const bvp_file *(const std::uint8_t address[16])> find_packed;
};

class builder
{
    // What the C builder points to, where it stays while its owner moves.
    struct state {
        bvp_builder *c = nullptr;
        build_hooks hooks;
        bvp_control control = {};
        const bvp_control *given = nullptr;
        detail::caught box;
        state() = default;
        state(const state &) = delete;
        state &operator=(const state &) = delete;
        ~state()
        {
            bvp_builder_free(c);
        }
        static void progress(void *user, const char *stage, std::uint64_t done, std::uint64_t total)
        {
            const state &self = *static_cast<state *>(user);
            detail::guarded(self.box, 0, [&] {
                self.hooks.progress(stage, done, total);
                return 0;
            });
        }
        static const bvp_file *find_packed(void *user, const std::uint8_t address[16])
        {
            const state &self = *static_cast<state *>(user);
            const bvp_file *none = nullptr;
            return detail::guarded(self.box, none, [&] { return self.hooks.find_packed(address); });
        }
        // Ends the call where a hook has thrown, or where the caller's control says so.
        static int end(void *user)
        {
            const state &self = *static_cast<state *>(user);
            const bvp_control *given = self.given;
            return self.box.any() || (given && given->callback && given->callback(given->user));
        }
        void rethrow() const
        {
            box.rethrow();
            control::rethrow(given);
        }
    };
    std::unique_ptr<state> state_;

    template <class T> result<T> answer(bvp_status status, T value, const bvp_error &details) const
    {
        state_->rethrow();
        return detail::answer(status, std::move(value), &details);
    }
    result<void> done(bvp_status status, const bvp_error &details) const
    {
        state_->rethrow();
        return detail::done(status, &details);
    }
    // A callable as bvp_triangle_stream.next: f(corners, ids, room), which returns how many.
    template <class F> struct feed {
        F &f;
        detail::caught box;
        static bvp_status next(void *user, void *corners, std::uint32_t *ids, std::uint32_t room,
                               std::uint32_t *count, bvp_error *details) noexcept
        {
            auto &self = *static_cast<feed *>(user);
            return detail::guarded(self.box, BVP_ERR_SYSTEM, [&] {
                auto got = std::invoke(self.f, corners, ids, room);
                if constexpr (std::is_same_v<decltype(got), expected<std::uint32_t>>) {
                    if (!got) {
                        if (details)
                            *details = got.error().info();
                        return got.error().status();
                    }
                    *count = *got;
                } else {
                    *count = static_cast<std::uint32_t>(got);
                }
                return BVP_OK;
            });
        }
    };

    builder() = default;

  public:
    // Hooks take the place of the options' progress and find_packed.
    static result<builder> make(bvp_build_options options = {}, build_hooks hooks = {})
    {
        builder made;
        made.state_ = std::make_unique<state>();
        state &own = *made.state_;
        own.hooks = std::move(hooks);
        own.given = options.control;
        own.control.cancel = own.given ? own.given->cancel : nullptr;
        own.control.callback = state::end;
        own.control.user = &own;
        options.control = &own.control;
        if (own.hooks.progress) {
            options.progress = state::progress;
            options.progress_user = &own;
        }
        if (own.hooks.find_packed) {
            options.find_packed = state::find_packed;
            options.find_packed_user = &own;
        }
        bvp_error details = {};
        const bvp_status status = bvp_builder_new(&options, &own.c, &details);
        return detail::answer(status, std::move(made), &details);
    }
    bvp_builder *c() const
    {
        return state_->c;
    }

    result<std::uint32_t> add_part(const bvp_mesh &mesh)
    {
        std::uint32_t part = BVP_NONE;
        bvp_error details = {};
        const bvp_status status = bvp_builder_add_part(c(), &mesh, &part, &details);
        return answer(status, part, details);
    }
    // next(corners, ids, room) takes the place of stream.next: nine coordinates a triangle to
    // `corners`, float or double as stream.is_double says; returns how many, 0 at the end, or a
    // bvp::expected of it.
    template <class F> result<std::uint32_t> add_stream(bvp_triangle_stream stream, F &&next)
    {
        feed<F> fed{next, {}};
        stream.next = fed.next;
        stream.user = &fed;
        std::uint32_t part = BVP_NONE;
        bvp_error details = {};
        const bvp_status status = bvp_builder_add_stream(c(), &stream, &part, &details);
        fed.box.rethrow();
        return answer(status, part, details);
    }
    result<void> build_share(const bvp_triangle_stream &stream, std::uint32_t index,
                             std::uint32_t count)
    {
        bvp_error details = {};
        const bvp_status status = bvp_builder_build_share(c(), &stream, index, count, &details);
        return done(status, details);
    }
    static void remove_state(const std::string &folder)
    {
        bvp_builder_remove_state(folder.c_str());
    }
    result<void> set_source(const bvp_build_options &options)
    {
        bvp_error details = {};
        const bvp_status status = bvp_builder_set_source(c(), &options, &details);
        return done(status, details);
    }
    result<std::uint32_t> add_packed(const bvp_packed_part &packed)
    {
        std::uint32_t part = BVP_NONE;
        bvp_error details = {};
        const bvp_status status = bvp_builder_add_packed(c(), &packed, &part, &details);
        return answer(status, part, details);
    }
    result<std::uint32_t> add_reference(const bvp_part_info &known, const char *name = nullptr,
                                        const char *source_id = nullptr)
    {
        std::uint32_t part = BVP_NONE;
        bvp_error details = {};
        const bvp_status status =
            bvp_builder_add_reference(c(), &known, name, source_id, &part, &details);
        return answer(status, part, details);
    }
    result<bvp_part_info> part(std::uint32_t part) const
    {
        bvp_part_info out = {};
        const bvp_status status = bvp_builder_get_part(c(), part, &out);
        return detail::answer(status, out);
    }
    result<void> save_part(std::uint32_t part, const std::string &path)
    {
        bvp_error details = {};
        const bvp_status status = bvp_builder_save_part(c(), part, path.c_str(), &details);
        return done(status, details);
    }
    result<void> save_part_fd(std::uint32_t part, int fd)
    {
        bvp_error details = {};
        const bvp_status status = bvp_builder_save_part_fd(c(), part, fd, &details);
        return done(status, details);
    }
    result<std::uint32_t> add_node(const bvp_new_node &added)
    {
        std::uint32_t node = BVP_NONE;
        bvp_error details = {};
        const bvp_status status = bvp_builder_add_node(c(), &added, &node, &details);
        return answer(status, node, details);
    }
    result<void> add_property(std::uint32_t node, const std::string &key, const std::string &value)
    {
        bvp_error details = {};
        const bvp_status status =
            bvp_builder_add_property(c(), node, key.c_str(), value.c_str(), &details);
        return done(status, details);
    }
    result<bvp_build_report> finish(const std::string &path)
    {
        bvp_build_report report = {};
        bvp_error details = {};
        const bvp_status status = bvp_builder_finish(c(), path.c_str(), &report, &details);
        return answer(status, report, details);
    }
    result<bvp_build_report> finish_fd(int fd)
    {
        bvp_build_report report = {};
        bvp_error details = {};
        const bvp_status status = bvp_builder_finish_fd(c(), fd, &report, &details);
        return answer(status, report, details);
    }
};

namespace detail
{
// Memory that C allocated.
struct c_freed {
    void operator()(void *memory) const
    {
        std::free(memory);
    }
};
} // namespace detail
template <class T> using c_array = std::unique_ptr<T[], detail::c_freed>;

// positions: floats, or doubles when the mesh is_double; three for each of vertex_count.
struct welded {
    c_array<std::uint32_t> indices;
    std::unique_ptr<void, detail::c_freed> positions;
    std::uint64_t vertex_count;
};
inline result<welded> weld(const bvp_mesh &mesh, std::uint32_t thread_count = 0)
{
    std::uint32_t *indices = nullptr;
    void *positions = nullptr;
    std::uint64_t vertex_count = 0;
    bvp_error details = {};
    const bvp_status status =
        bvp_weld(&mesh, thread_count, &indices, &positions, &vertex_count, &details);
    welded out = {c_array<std::uint32_t>(indices), {}, vertex_count};
    out.positions.reset(positions);
    return detail::answer(status, std::move(out), &details);
}

// groups: one number a triangle, or NULL where there is one group only.
struct strays {
    c_array<std::uint32_t> groups;
    std::uint32_t group_count;
    double factor;
};
inline result<strays> find_strays(const bvp_mesh &mesh)
{
    std::uint32_t *groups = nullptr, count = 0;
    double factor = 1;
    bvp_error details = {};
    const bvp_status status = bvp_find_strays(&mesh, &groups, &count, &factor, &details);
    return detail::answer(status, strays{c_array<std::uint32_t>(groups), count, factor}, &details);
}

// The numbers of the points at the corners of their hull, in ascending order.
inline result<std::vector<std::uint32_t>> hull_points(view<const point> points)
{
    std::vector<std::uint32_t> kept(points.size());
    std::uint64_t count = 0;
    bvp_error details = {};
    const double *first = points.size() ? points[0].data() : nullptr;
    const bvp_status status = bvp_hull_points(first, points.size(), kept.data(), &count, &details);
    kept.resize(status == BVP_OK ? static_cast<std::size_t>(count) : 0);
    return detail::answer(status, std::move(kept), &details);
}

} // namespace throwing, or returning
} // namespace bvp

#endif

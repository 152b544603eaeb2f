// Large blocks of memory that are read at random.
//
// In pages of 4 KB, to find where a page lies takes as long as to fetch what is in it, as no more
// than some thousand pages are kept in mind by a processor. Linux gives pages of 2 MB to who asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace gtpbot {

enum class Fill { kZero, kNothing };

// Room for items, aligned to cache lines at least. Memory is used as it is touched.
template <class T>
class Block {
  static_assert(std::is_trivially_destructible_v<T> && sizeof(T) <= 64);

 public:
  // Throws std::bad_alloc.
  explicit Block(std::size_t count, Fill fill = Fill::kZero) {
    if (count > PTRDIFF_MAX / sizeof(T)) throw std::bad_alloc();  // lest the product be too small
    const std::size_t bytes = count * sizeof(T);
    const std::size_t page = bytes < 4 * kHugePage ? kCacheLine : kHugePage;
    memory_.reset(fill == Fill::kZero ? std::calloc(bytes + page, 1) : std::malloc(bytes + page));
    if (!memory_) throw std::bad_alloc();
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.get());
    items_ = reinterpret_cast<T*>((address + page - 1) / page * page);
#ifdef __linux__
    // Without them all works, and slower: the answer does not matter.
    if (page == kHugePage) madvise(items_, bytes / page * page, MADV_HUGEPAGE);
#endif
  }

  T* get() const { return items_; }
  T& operator[](std::size_t i) const { return items_[i]; }

 private:
  static constexpr std::size_t kCacheLine = 64;
  static constexpr std::size_t kHugePage = std::size_t{1} << 21;

  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<void, Free> memory_;
  T* items_ = nullptr;
};

}  // namespace gtpbot

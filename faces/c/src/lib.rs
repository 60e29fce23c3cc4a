//! The label store and the index writer for programs in C and C++, declared in
//! `include/manicule_series.h`.
//!
//! The header describes each call; a test compiles a program with it and compares the index that it
//! writes. Every call checks what it can: null pointers, lengths, the order of calls. What it can't
//! check is that a pointer points to as many items as its length says, and that a handle is used by
//! one thread at a time.
//!
//! This face is a façade of its own: it joins two engines, the store and the writer, and no other.

pub mod failure;
pub mod store;
pub mod writer;

//! Repair of the index, and the lock that it takes.

mod locks;
mod marked;
mod places;
mod steps;
mod store;
mod world;

//! The front door: one text or regular expression, looked for in everything that is at some paths,
//! whatever system wrote it.
//!
//! [`find()`] hands each [`Hit`] to a callback, on any thread, and reports what it can't search as
//! a [`Failure`](crate::Failure) with a class, without ending the search of the rest:
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use manicule::find::{Call, Event, Item, find};
//! use manicule::watch::Watch;
//!
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("a.txt"), "one\ntwo lamps\n")?;
//!
//! let call = Call::new("lamp", vec![folder.path().to_owned()])?;
//! let mut numbers = Vec::new();
//! let found = find(&call, &Watch::none(), &mut |event| {
//!     if let Event::Hit(hit) = event
//!         && let Item::Line(line) = hit.item
//!     {
//!         numbers.push((line.number, hit.matches_in(line.text).unwrap()));
//!     }
//!     ControlFlow::Continue(())
//! })?;
//! assert_eq!((found.hits, numbers), (1, vec![(2, vec![4..8])]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A face that prints as ripgrep does resolves its flags into a [`Search`], and lends a [`Face`]:
//! a [`Visitor`] of files for each thread, and a [`Page`] for each index without lines.
//!
//! | file | what |
//! |---|---|
//! | call.rs | what a program says; callback.rs: [`find()`], worker.rs, collected.rs: its visitor of files; files.rs: [`files()`] |
//! | search.rs | a search, resolved; run.rs: its indexes opened and searched, kind by kind |
//! | face.rs, visitor.rs | who receives what is found; hit.rs, item/: what that is |
//! | kinds/ | the part of each kind of index, and what a program needs for one of its own |
//! | patterns.rs, matcher.rs, engine.rs | patterns and their matcher, of either engine |
//! | reading.rs, mmap.rs, lines/ | how files are read as text, and their lines found |
//! | globs.rs, sorted.rs, look.rs | which files, in which order, and what engines may conclude |

mod call;
mod callback;
mod collected;
mod engine;
mod face;
mod files;
mod globs;
mod hit;
mod item;
pub mod kinds;
mod lines;
mod look;
mod matcher;
mod mmap;
mod patterns;
mod reading;
mod run;
mod search;
mod sorted;
mod visitor;
mod worker;

pub use call::Call;
pub use callback::{Event, Found, find};
pub use engine::Groups;
pub use face::{Face, IndexPlace, Page, PlaceEnd};
pub use files::{ListedFile, files};
pub use globs::{TypeChange, globs, known_types, types};
pub use hit::{Hit, Item, Line};
pub use item::Entry;
pub use lines::plain::{PlainLine, PlainLines, Searched};
pub use lines::probe::Probe;
pub use lines::source::Source;
pub use manicule_core::pattern::Case;
pub use matcher::{Matcher, PatternError, Pcre2};
pub use patterns::{Boundary, Engine, Patterns};
pub use reading::{Binary, Coding, Reading};
pub use run::Opened;
pub use search::{Done, Names, Passwords, Search, Wanted};
pub use sorted::{Sort, SortKey, Ties};
pub use visitor::{Text, Visitor};

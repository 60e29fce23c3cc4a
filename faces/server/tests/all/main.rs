//! The server, asked over connections as clients ask it.

mod support;

mod door;
mod life;

//! The server, asked over connections as clients ask it.

mod support;

mod door;
mod guide;
mod life;
mod restic;
mod zoekt;
mod sparql;

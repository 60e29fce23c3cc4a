//! The server, asked over connections as clients ask it.

mod support;

mod door;
mod guide;
mod life;
mod mcp;
mod page;
mod prometheus;
mod restic;
mod sparql;
mod zoekt;

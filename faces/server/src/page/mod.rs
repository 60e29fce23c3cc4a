//! The page: its files, and below `/ui/` what it asks, as JSON.
//!
//! Whatever a place holds, an answer is bounded: tables are cut to their first or greatest rows,
//! with the number and the sums of the others, samples to some thousand points a series, hits to
//! some hundred a place. Places are named; files in them are what shards and trees list. No
//! argument that names a file or a command of this machine is taken from a request.
//!
//! | file | what |
//! |---|---|
//! | assets.rs | the page itself, built by `faces/server/web` |
//! | state.rs | what requests see; params.rs, reply.rs: what they say, and how they are answered |
//! | places.rs | what is served, and its tables |
//! | table.rs | rows of any table of the catalogue; allowed.rs: arguments that a request may give |
//! | find.rs | a search, line by line; shown.rs: texts with marks, context.rs: lines around a hit |
//! | series.rs | what makes series, and what grew; samples.rs: samples, thin.rs: fewer of them |
//! | blobs.rs | what a pack holds, what is broken |
//! | code.rs | ranked documents of shards; file.rs: lines of one |

mod allowed;
mod assets;
mod blobs;
mod code;
mod context;
mod file;
mod find;
mod params;
mod places;
mod reply;
mod samples;
mod series;
mod shown;
mod state;
mod table;
mod thin;

use axum::Router;
use axum::routing::get;

use crate::app::App;
use reply::json;
use state::Page;

/// The page and what it asks.
pub(crate) fn routes(app: &App) -> Router {
    Router::new()
        .route("/", get(assets::page))
        .route("/assets/{name}", get(assets::asset))
        .route("/ui/places", json(places::places))
        .route("/ui/tables", json(places::tables))
        .route("/ui/table/{table}", get(table::table))
        .route("/ui/find", get(find::find))
        .route("/ui/series/analysis", json(series::analysis))
        .route("/ui/series/growth", json(series::growth))
        .route("/ui/series/samples", json(samples::samples))
        .route("/ui/blobs/pack", json(blobs::pack))
        .route("/ui/blobs/check", json(blobs::check))
        .route("/ui/code/search", json(code::search))
        .route("/ui/code/file", json(file::file))
        .with_state(Page::new(app))
}

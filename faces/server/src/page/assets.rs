//! The files of the page: kept in the program, the scripts and styles by names with a hash of their
//! contents, so that browsers keep them for ever.

use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::response::{IntoResponse, Response};

use crate::refusal::plain;

/// A file of the page: its name, its bytes.
type Asset = (&'static str, &'static [u8]);

/// The page's own, and its scripts, styles and icon; `faces/server/web/build.mjs` writes it.
static FILES: &[Asset] = include!("../../web/dist/files.rs");

/// Nothing comes from elsewhere, and nothing in the page's text is run or styled by: what the
/// editor adds are style sheets that its script makes, which need no admission.
const POLICY: &str = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; \
    frame-ancestors 'none'";

/// Headers of every file.
const HEADERS: [(HeaderName, &str); 4] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (X_FRAME_OPTIONS, "DENY"),
];

/// The page.
pub(super) async fn page() -> Response {
    served("index.html", "no-cache")
}

/// A script, a style or the icon.
pub(super) async fn asset(Path(name): Path<String>) -> Response {
    served(&name, "public, max-age=31536000, immutable")
}

fn served(name: &str, caching: &'static str) -> Response {
    let Some((name, bytes)) = FILES.iter().find(|(own, _)| *own == name) else {
        return plain(StatusCode::NOT_FOUND, "the page has no such file");
    };
    let own = [(CONTENT_TYPE, media(name)), (CACHE_CONTROL, caching)];
    (HEADERS, own, *bytes).into_response()
}

fn media(name: &str) -> &'static str {
    match name.rsplit_once('.') {
        Some((_, "html")) => "text/html; charset=utf-8",
        Some((_, "js")) => "text/javascript; charset=utf-8",
        Some((_, "css")) => "text/css; charset=utf-8",
        _ => "image/svg+xml",
    }
}

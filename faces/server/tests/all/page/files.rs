//! The files of the page, and their headers.

use crate::support::serve;

#[test]
fn the_page_names_its_files_by_their_contents_and_admits_nothing_else() {
    let server = serve(&[]);
    let page = server.get("/");
    assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
    assert_eq!(page.header("cache-control"), "no-cache");
    assert_eq!(page.header("x-content-type-options"), "nosniff");
    assert_eq!(page.header("referrer-policy"), "no-referrer");
    let policy = page.header("content-security-policy");
    assert!(policy.starts_with("default-src 'self';") && !policy.contains("unsafe"), "{policy}");
    let text = page.text();
    assert!(!text.contains("://") && !text.contains("<style"), "{text}");
    let names: Vec<&str> =
        text.split("\"assets/").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(names.len(), 3, "{text}");
    for name in names {
        let file = server.get(&format!("/assets/{name}"));
        assert_eq!(file.status, 200, "{name}");
        assert_eq!(file.header("cache-control"), "public, max-age=31536000, immutable");
        assert_eq!(file.header("x-content-type-options"), "nosniff");
        assert!(!file.body.is_empty());
    }
}

#[test]
fn no_other_file_is_there() {
    let server = serve(&[]);
    for target in
        ["/assets/nothing.js", "/assets/..%2f..%2fCargo.toml", "/assets/%2fetc%2fpasswd", "/ui/"]
    {
        assert_eq!(server.get(target).status, 404, "{target}");
    }
    assert_eq!(server.send("POST", "/ui/places", &[], b"").status, 405);
}

#[test]
fn what_is_asked_is_compressed_and_asks_a_token_like_all_else() {
    let server = serve(&[]);
    let tables = server.send("GET", "/ui/tables", &[("Accept-Encoding", "gzip")], b"");
    assert_eq!((tables.status, tables.header("content-encoding")), (200, "gzip"));
    let mut options = crate::support::options(&[]);
    options.token = Some(manicule_server::Token::new("0123456789abcdef").unwrap());
    let closed = crate::support::with(&options);
    for target in ["/", "/ui/places"] {
        assert_eq!(closed.get(target).status, 401, "{target}");
        // A browser asks its user, and sends this.
        let shown = [("Authorization", "Basic OjAxMjM0NTY3ODlhYmNkZWY=")];
        assert_eq!(closed.send("GET", target, &shown, b"").status, 200, "{target}");
    }
}

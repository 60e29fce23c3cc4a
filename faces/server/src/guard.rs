//! Who may ask: names that the server answers to, tokens, and what pages of other sites have a
//! browser send.
//!
//! A browser sends requests to a port of loopback for any page. Against a name that was bound to
//! 127.0.0.1 after the page was loaded, `Host` is checked; against requests that change something,
//! or cost something, and come from pages of others, `Origin` and `Sec-Fetch-Site` are.

use std::net::IpAddr;

use axum::http::header::{AUTHORIZATION, HOST, ORIGIN, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, request::Parts};
use axum::response::Response;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::refusal::plain;
use crate::token::Token;

/// What is asked of each request before it is looked at.
#[derive(Debug)]
pub(crate) struct Guard {
    pub(crate) token: Option<Token>,
    /// Names that `Host` may have besides those of loopback; of `None` any.
    pub(crate) hosts: Option<Vec<String>>,
    /// Origins of pages that may ask.
    pub(crate) origins: Vec<String>,
}

/// Path that is answered without a token: whether the server is there.
pub(crate) const HEALTH: &str = "/healthz";

impl Guard {
    /// The answer to a request that is refused.
    pub(crate) fn refuse(&self, parts: &Parts) -> Option<Response> {
        self.refuse_host(parts)
            .or_else(|| self.refuse_site(parts))
            .or_else(|| self.refuse_token(parts))
    }

    fn refuse_host(&self, parts: &Parts) -> Option<Response> {
        let bad = |text: &str| Some(plain(StatusCode::BAD_REQUEST, text));
        let mut hosts = parts.headers.get_all(HOST).iter();
        let (host, second) = (hosts.next(), hosts.next());
        let Some(host) = host.and_then(|host| host.to_str().ok()) else {
            return bad("the request has no Host, or one that is no text");
        };
        if second.is_some() {
            return bad("the request has more than one Host");
        }
        let names = self.hosts.as_ref()?;
        let name = name_of(host);
        let is_own = is_loopback(name) || names.iter().any(|own| own.eq_ignore_ascii_case(name));
        if is_own {
            return None;
        }
        let text = "this server doesn't answer to the name in Host; --host NAME makes it";
        Some(plain(StatusCode::MISDIRECTED_REQUEST, text))
    }

    /// Refuses what a page of another site has a browser send, but links to here.
    fn refuse_site(&self, parts: &Parts) -> Option<Response> {
        let headers = &parts.headers;
        if let Some(origin) = headers.get(ORIGIN)
            && self.allows(origin)
        {
            return None;
        }
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let is_reading = matches!(parts.method, Method::GET | Method::HEAD);
        let is_of_others = match text("sec-fetch-site") {
            Some("cross-site" | "same-site") => {
                !(is_reading && text("sec-fetch-mode") == Some("navigate"))
            }
            Some(_) => false,
            // Older browsers say the origin alone, of requests that may change something.
            None => !is_reading && headers.get(ORIGIN).is_some_and(|own| !is_same(own, headers)),
        };
        is_of_others.then(|| {
            let text = "a page of another site may not ask this server; --allow-origin lets it";
            plain(StatusCode::FORBIDDEN, text)
        })
    }

    fn allows(&self, origin: &HeaderValue) -> bool {
        self.origins.iter().any(|own| own.as_bytes() == origin.as_bytes())
    }

    fn refuse_token(&self, parts: &Parts) -> Option<Response> {
        let token = self.token.as_ref()?;
        if parts.uri.path() == HEALTH || shown(&parts.headers).is_some_and(|own| token.is(&own)) {
            return None;
        }
        let text = "this server asks for its token: as a bearer token, or as a password";
        let mut response = plain(StatusCode::UNAUTHORIZED, text);
        let how = HeaderValue::from_static("Basic realm=\"manicule\", charset=\"UTF-8\"");
        response.headers_mut().insert(WWW_AUTHENTICATE, how);
        Some(response)
    }
}

/// The secret that a request shows: a bearer token, or the password of Basic.
fn shown(headers: &HeaderMap) -> Option<Vec<u8>> {
    let text = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, secret) = text.split_once(' ')?;
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(secret.trim().as_bytes().to_vec());
    }
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let pair = BASE64_STANDARD.decode(secret.trim()).ok()?;
    let colon = pair.iter().position(|byte| *byte == b':')?;
    Some(pair[colon + 1..].to_vec())
}

/// The name of `Host`, without its port.
fn name_of(host: &str) -> &str {
    if let Some(end) = host.strip_prefix('[').and_then(|rest| rest.find(']')) {
        return &host[1..=end];
    }
    host.rsplit_once(':').map_or(host, |(name, _)| name)
}

fn is_loopback(name: &str) -> bool {
    let is_address = || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    name.eq_ignore_ascii_case("localhost") || is_address()
}

/// Whether an origin is that of the request's own `Host`.
fn is_same(origin: &HeaderValue, headers: &HeaderMap) -> bool {
    let (Ok(origin), Some(host)) = (origin.to_str(), headers.get(HOST)) else { return false };
    let own = origin.split_once("://").map_or("", |(_, own)| own);
    own.as_bytes().eq_ignore_ascii_case(host.as_bytes())
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    const SECRET: &str = "0123456789abcdef";

    fn guard(token: Option<&str>) -> Guard {
        let token = token.map(|secret| Token::new(secret).unwrap());
        let hosts = Some(vec!["lamp.example".to_owned()]);
        Guard { token, hosts, origins: vec!["https://yasgui.example".to_owned()] }
    }

    /// Status of a refusal, 0 of none.
    fn check(guard: &Guard, method: &str, target: &str, headers: &[(&str, &str)], wanted: u16) {
        let mut request = Request::builder().method(method).uri(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (parts, ()) = request.body(()).unwrap().into_parts();
        let status = guard.refuse(&parts).map_or(0, |response| response.status().as_u16());
        assert_eq!(status, wanted, "{method} {target} {headers:?}");
    }

    #[test]
    fn names_of_loopback_and_those_given_are_answered_to() {
        for (host, wanted) in [
            ("localhost", 0),
            ("LOCALHOST:6264", 0),
            ("127.0.0.1:1", 0),
            ("127.3.2.1", 0),
            ("[::1]:6264", 0),
            ("lamp.example:80", 0),
            ("Lamp.Example", 0),
            ("evil.example", 421),
            ("localhost.evil.example", 421),
            ("127.0.0.1.evil.example", 421),
            ("[::2]", 421),
            ("", 421),
            ("10.0.0.1", 421),
        ] {
            check(&guard(None), "GET", "/", &[("host", host)], wanted);
        }
        check(&guard(None), "GET", "/", &[], 400);
        check(&guard(None), "GET", "/", &[("host", "localhost"), ("host", "localhost")], 400);
        let any = Guard { hosts: None, ..guard(None) };
        check(&any, "GET", "/", &[("host", "evil.example")], 0);
    }

    #[test]
    fn pages_of_other_sites_neither_change_nor_ask() {
        let host = ("host", "localhost:6264");
        for (method, headers, wanted) in [
            ("POST", [("origin", "http://localhost:6264"), host], 0),
            ("POST", [("origin", "http://evil.example"), host], 403),
            ("POST", [("origin", "null"), host], 403),
            ("POST", [("origin", "http://localhost:8080"), host], 403),
            ("DELETE", [("origin", "http://evil.example"), host], 403),
            ("POST", [("origin", "https://yasgui.example"), host], 0),
            ("GET", [("origin", "http://evil.example"), host], 0),
            ("GET", [("sec-fetch-site", "cross-site"), host], 403),
            ("GET", [("sec-fetch-site", "none"), host], 0),
            ("GET", [("sec-fetch-site", "same-origin"), host], 0),
            ("POST", [("sec-fetch-site", "same-site"), host], 403),
            ("POST", [("x-nothing", ""), host], 0),
        ] {
            check(&guard(None), method, "/update", &headers, wanted);
        }
        let link = [host, ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")];
        check(&guard(None), "GET", "/", &link, 0);
        check(&guard(None), "POST", "/update", &link, 403);
    }

    #[test]
    fn a_token_is_asked_of_all_but_the_question_whether_the_server_is_there() {
        let guard = guard(Some(SECRET));
        let host = ("host", "localhost");
        check(&guard, "GET", "/query", &[host], 401);
        check(&guard, "GET", "/metrics", &[host], 401);
        check(&guard, "GET", HEALTH, &[host], 0);
        for (shown, wanted) in [
            ("Bearer 0123456789abcdef", 0),
            ("bearer  0123456789abcdef", 0),
            // Of any user: the token, of none; a bearer's; and a wrong one.
            ("Basic dXNlcjowMTIzNDU2Nzg5YWJjZGVm", 0),
            ("Basic OjAxMjM0NTY3ODlhYmNkZWY=", 0),
            ("Basic Og==", 401),
            ("Basic !", 401),
            ("Bearer 0123456789abcde", 401),
            ("Bearer 0123456789abcdef0", 401),
            ("Bearer", 401),
            ("0123456789abcdef", 401),
        ] {
            check(&guard, "GET", "/query", &[host, ("authorization", shown)], wanted);
        }
    }

    #[test]
    fn a_short_token_is_none() {
        let error = Token::new("0123456789abcde").unwrap_err().to_string();
        assert!(error.starts_with("a token has 16 bytes or more"), "{error}");
        assert_eq!(format!("{:?}", Token::new(SECRET).unwrap()), "Token");
    }
}

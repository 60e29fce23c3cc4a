//! Signatures of requests, version 4, computed again from what came.
//! <https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html>

use hmac::{Hmac, KeyInit, Mac};
use manicule_core::hex;
use sha2::{Digest, Sha256};

use crate::answer::Answer;
use crate::request::Request;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// Who may ask, and where.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    pub(crate) id: String,
    pub(crate) secret: String,
    pub(crate) region: String,
}

/// The answer to a request that isn't signed by these keys for this region.
pub(crate) fn refused(request: &Request, keys: &Keys) -> Option<Answer> {
    let denied = |code, message| Some(Answer::error(403, code, message));
    let Some(signed) = Signed::of(request) else {
        return denied("AccessDenied", "the request is not signed");
    };
    if signed.id != keys.id {
        return denied("InvalidAccessKeyId", "no such key");
    }
    if signed.region != keys.region {
        let message = format!("the region is wrong; expecting '{}'", keys.region);
        let answer = Answer::error(400, "AuthorizationHeaderMalformed", &message);
        return Some(answer.with("x-amz-bucket-region", &keys.region));
    }
    let body_hash = request.header("x-amz-content-sha256").unwrap_or_default();
    if body_hash != "UNSIGNED-PAYLOAD" && body_hash != hex::encode(Sha256::digest(&request.body)) {
        return denied("XAmzContentSHA256Mismatch", "the body is another");
    }
    if signed.signature != signature(request, &signed, &keys.secret) {
        return denied("SignatureDoesNotMatch", "the signature is another");
    }
    None
}

/// What the header says.
#[derive(Debug)]
struct Signed<'r> {
    id: &'r str,
    date: &'r str,
    region: &'r str,
    headers: &'r str,
    signature: &'r str,
}

impl<'r> Signed<'r> {
    fn of(request: &'r Request) -> Option<Self> {
        let text = request.header("authorization")?.strip_prefix(ALGORITHM)?;
        let part = |name: &str| {
            text.split(',').find_map(|part| part.trim().strip_prefix(name)?.strip_prefix('='))
        };
        let mut scope = part("Credential")?.split('/');
        let (id, date, region) = (scope.next()?, scope.next()?, scope.next()?);
        let (headers, signature) = (part("SignedHeaders")?, part("Signature")?);
        Some(Signed { id, date, region, headers, signature })
    }
}

fn signature(request: &Request, signed: &Signed<'_>, secret: &str) -> String {
    let pair = |(name, value): (&String, &String)| {
        format!("{}={}", encoded(name, false), encoded(value, false))
    };
    let query: Vec<_> = request.query.iter().map(pair).collect();
    let header = |name: &str| format!("{name}:{}\n", request.header(name).unwrap_or_default());
    let headers: String = signed.headers.split(';').map(header).collect();
    let canonical = format!(
        "{}\n/{}\n{}\n{headers}\n{}\n{}",
        request.method,
        encoded(&request.path, true),
        query.join("&"),
        signed.headers,
        request.header("x-amz-content-sha256").unwrap_or_default(),
    );
    let scope = format!("{}/{}/s3/aws4_request", signed.date, signed.region);
    let time = request.header("x-amz-date").unwrap_or_default();
    let hash = hex::encode(Sha256::digest(canonical));
    let text = format!("{ALGORITHM}\n{time}\n{scope}\n{hash}");
    let first = format!("AWS4{secret}").into_bytes();
    let key = [signed.date, signed.region, "s3", "aws4_request"]
        .into_iter()
        .fold(first, |key, part| sealed(&key, part));
    hex::encode(sealed(&key, &text))
}

fn sealed(key: &[u8], text: &str) -> Vec<u8> {
    let mut hmac = Hmac::<Sha256>::new_from_slice(key).expect("any length");
    hmac.update(text.as_bytes());
    hmac.finalize().into_bytes().to_vec()
}

/// Percent-encoded but for what needs it nowhere.
fn encoded(text: &str, keeps_slashes: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            b'/' if keeps_slashes => out.push('/'),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

//! Names of labels, and their values.

use axum::extract::{Path, State};
use axum::response::Response;
use manicule::Failure;
use manicule::series::query::{Blocks, Work};
use manicule::series::{BlockError, Interval, Selector};

use super::api::Api;
use super::error::ApiError;
use super::json::{self, Json, TRUNCATED};
use super::params::Params;

/// What is asked for.
struct Asked {
    limit: Option<usize>,
    times: Interval,
    selectors: Vec<Selector>,
}

impl Asked {
    fn of(params: &Params) -> Result<Asked, ApiError> {
        let limit = params.limit()?;
        let times = times_of(params)?;
        Ok(Asked { limit, times, selectors: params.selectors()? })
    }
}

/// The times that are asked for: by default all.
pub(super) fn times_of(params: &Params) -> Result<Interval, ApiError> {
    let min_time = params.time("start")?.unwrap_or(i64::MIN);
    Ok(Interval { min_time, max_time: params.time("end")?.unwrap_or(i64::MAX) })
}

pub(super) async fn names(State(api): State<Api>, params: Params) -> Result<Response, ApiError> {
    let asked = Asked::of(&params)?;
    list(api, asked, |blocks, selectors, work| blocks.label_names(selectors, work)).await
}

pub(super) async fn values(
    State(api): State<Api>,
    Path(name): Path<String>,
    params: Params,
) -> Result<Response, ApiError> {
    let name = unescaped(&name);
    if name.is_empty() {
        return Err(ApiError::bad("invalid label name: \"\""));
    }
    let asked = Asked::of(&params)?;
    list(api, asked, move |blocks, selectors, work| {
        blocks.label_values(name.as_bytes(), selectors, work)
    })
    .await
}

/// Sorted texts of blocks.
type Texts<'b> = Result<Vec<&'b [u8]>, BlockError>;

/// Answers with a sorted list of texts.
async fn list<A>(api: Api, asked: Asked, ask: A) -> Result<Response, ApiError>
where
    A: for<'b> FnOnce(&Blocks<'b>, &[Selector], &mut Work) -> Texts<'b> + Send + 'static,
{
    let data = api.data;
    json::answer(&api.calls, move |json, _| {
        let moment = data.moment();
        let listed = ask(&moment.within(asked.times), &asked.selectors, &mut Work::default())?;
        let mut warnings = json::left_out(&moment);
        let shown = listed.len().min(asked.limit.unwrap_or(usize::MAX));
        write(&listed[..shown], json)?;
        if shown < listed.len() {
            warnings.push(TRUNCATED.to_owned());
        }
        Ok(warnings)
    })
    .await
}

fn write(texts: &[&[u8]], json: &mut Json<'_, '_>) -> Result<(), Failure> {
    json.put(b"[");
    for (place, text) in texts.iter().enumerate() {
        if place > 0 {
            json.put(b",");
        }
        json.string(text);
        json.step()?;
    }
    json.put(b"]");
    Ok(())
}

/// The name of a label in a path. `U__` begins an escaped one: there `__` is `_`, and `_2e_` the
/// character of that number. What doesn't unescape is the name itself.
fn unescaped(name: &str) -> String {
    let escaped = || {
        let mut rest = name.strip_prefix("U__")?;
        let mut plain = String::new();
        while let Some(at) = rest.find('_') {
            plain.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            let end = rest.find('_')?;
            match &rest[..end] {
                "" => plain.push('_'),
                // A sign is no digit.
                digits if digits.len() <= 6 && digits.bytes().all(|b| b.is_ascii_hexdigit()) => {
                    plain.push(char::from_u32(u32::from_str_radix(digits, 16).ok()?)?);
                }
                _ => return None,
            }
            rest = &rest[end + 1..];
        }
        plain.push_str(rest);
        Some(plain)
    };
    escaped().unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::unescaped;

    #[test]
    fn names_in_paths_may_be_escaped() {
        for (name, want) in [
            ("job", "job"),
            ("service.name", "service.name"),
            ("U__service_2e_name", "service.name"),
            ("U__a__b", "a_b"),
            ("U__", ""),
            ("U___1F600_", "😀"),
            ("U___bad", "U___bad"),
            ("U__a_", "U__a_"),
            ("U___d800_", "U___d800_"),
            ("U___0000041_", "U___0000041_"),
            ("U___+41_", "U___+41_"),
        ] {
            assert_eq!(unescaped(name), want, "{name}");
        }
    }
}

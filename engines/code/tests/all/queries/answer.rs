//! A request answered by the engine, in the shape of zoekt's server.

use manicule_code::shards::ShardError;
use manicule_code::shards::find::query::Query;
use manicule_code::shards::find::rank::{RankLimits, rank};
use manicule_code::shards::find::{Admit, OpenShard, Order, Request, Skipped};
use manicule_code::tree::Look;
use manicule_core::watch::Watch;
use serde_json::{Value, json};

use super::options::Options;
use super::shown::{Shown, digest};

/// Makes a call with a request for whole documents, as zoekt's server searches.
pub(super) fn with_request<T>(call: impl FnOnce(&Request<'_>) -> T) -> T {
    let (look, admit, watch) = (Look::Contents, Admit::all(), Watch::none());
    call(&Request {
        look: &look,
        admit: &admit,
        order: Order::Any,
        skipped: Skipped::Kept,
        threads: 2,
        watch: &watch,
    })
}

/// The answer to a request as zoekt's server gives it.
pub(super) fn answer(
    shards: &[OpenShard<'_>],
    asked: &Value,
    is_digest: bool,
) -> Result<Option<Value>, ShardError> {
    let Ok(mut query) = Query::parse(asked["Q"].as_str().expect("a query")) else {
        return Ok(None);
    };
    if let Some(ids) = asked["RepoIDs"].as_array() {
        let ids: Vec<u32> = ids.iter().map(|id| id.as_u64().expect("an id") as u32).collect();
        query = query.of_repositories(&ids);
    }
    let options = Options(&asked["Opts"]);
    let until = options.until(shards);
    let ranking = with_request(|request| rank(shards, &query, request, &options.rank(), &until))?;
    let counts = (ranking.files.len(), ranking.match_count());
    let limits = RankLimits {
        documents: options.number("MaxDocDisplayCount"),
        matches: options.number("MaxMatchDisplayCount"),
    };
    let files = ranking.best(&limits)?;
    let mut files: Vec<Shown> = files.iter().map(|file| Shown::new(shards, file)).collect();
    let mut result = json!({ "FileCount": counts.0, "MatchCount": counts.1, "Crashes": 0 });
    if is_digest {
        digest(&mut files, &mut result);
    } else {
        let files: Vec<Value> = files.iter().map(|file| file.json(&options)).collect();
        result["Files"] = files.into();
    }
    Ok(Some(result))
}

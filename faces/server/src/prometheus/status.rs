//! What the server is, and what its blocks are most of.

use axum::extract::State;
use axum::response::Response;
use manicule::Failure;
use manicule::series::query::{HeadStats, Largest, head_stats};
use manicule::series::{Block, Meta, Moment};

use super::api::Api;
use super::error::ApiError;
use super::json::{self, Json, ready};
use super::params::Params;

/// The version of Prometheus whose API this is: clients choose by it what they ask.
const VERSION: &str = concat!("3.15.0+manicule.", env!("CARGO_PKG_VERSION"));

/// Names in each list, by default and at most.
const LIMIT: usize = 10;
const LIMIT_MAX: usize = 10_000;

pub(super) async fn buildinfo() -> Response {
    ready(&format!(
        "{{\"version\":\"{VERSION}\",\"revision\":\"\",\"branch\":\"\",\"buildUser\":\"\",\
         \"buildDate\":\"\",\"goVersion\":\"\"}}"
    ))
}

pub(super) async fn blocks(State(api): State<Api>) -> Result<Response, ApiError> {
    let data = api.data;
    json::answer(&api.calls, move |json, _| {
        let moment = data.moment();
        let mut metas: Vec<&Meta> = moment.all().iter().filter_map(Block::meta).collect();
        metas.sort_by_key(|meta| (meta.min_time, meta.max_time));
        json.put(b"{\"blocks\":[");
        for (place, meta) in metas.into_iter().enumerate() {
            json.put(if place > 0 { b"," } else { b"" });
            json.put(&serde_json::to_vec(meta).unwrap_or_default());
            json.step()?;
        }
        json.put(b"]}");
        Ok(json::left_out(&moment))
    })
    .await
}

/// Numbers of the block that ends last: a Prometheus has them of its head, and here is none.
pub(super) async fn tsdb(State(api): State<Api>, params: Params) -> Result<Response, ApiError> {
    let limit = match params.get("limit").map(str::parse::<i64>) {
        None => LIMIT,
        Some(Ok(limit @ 1..)) => usize::try_from(limit).unwrap_or(usize::MAX),
        Some(_) => return Err(ApiError::bad("limit must be a positive number")),
    };
    if limit > LIMIT_MAX {
        return Err(ApiError::bad(format!("limit must not exceed {LIMIT_MAX}")));
    }
    let data = api.data;
    json::answer(&api.calls, move |json, watch| {
        let moment = data.moment();
        match newest(&moment) {
            Some((block, meta)) => {
                let stats = head_stats::<Failure>(block, limit, watch)?;
                write(json, &stats, meta)?;
            }
            None => write(json, &HeadStats::default(), &Meta::default())?,
        }
        Ok(json::left_out(&moment))
    })
    .await
}

/// The block of samples that ends last; of those the first.
fn newest(moment: &Moment) -> Option<(&Block, &Meta)> {
    let raw = moment.all().iter().filter(|block| block.resolution() == 0);
    let with_meta = raw.filter_map(|block| Some((block, block.meta()?)));
    with_meta.reduce(|one, other| if other.1.max_time > one.1.max_time { other } else { one })
}

fn write(json: &mut Json<'_, '_>, stats: &HeadStats, meta: &Meta) -> Result<(), Failure> {
    let head = format!(
        "{{\"headStats\":{{\"numSeries\":{},\"numLabelPairs\":{},\"chunkCount\":{},\"minTime\":{},\
         \"maxTime\":{}}}",
        stats.series, stats.pairs, meta.stats.num_chunks, meta.min_time, meta.max_time
    );
    json.put(head.as_bytes());
    for (name, largest) in [
        ("seriesCountByMetricName", &stats.metrics),
        ("labelValueCountByLabelName", &stats.labels),
        ("memoryInBytesByLabelName", &stats.bytes),
        ("seriesCountByLabelValuePair", &stats.label_pairs),
    ] {
        json.put(format!(",\"{name}\":[").as_bytes());
        list(json, largest)?;
        json.put(b"]");
    }
    json.put(b"}");
    Ok(())
}

fn list(json: &mut Json<'_, '_>, largest: &Largest) -> Result<(), Failure> {
    for (place, (name, count)) in largest.iter().enumerate() {
        json.put(if place == 0 { b"{\"name\":" } else { b",{\"name\":" });
        json.string(name);
        json.put(format!(",\"value\":{count}}}").as_bytes());
        json.step()?;
    }
    Ok(())
}

//! Series by their labels.

use axum::extract::State;
use axum::response::Response;
use manicule::series::dump::put_api_labels;
use manicule::series::query::Work;

use super::api::Api;
use super::error::ApiError;
use super::json::{self, TRUNCATED};
use super::labels::times_of;
use super::params::Params;

pub(super) async fn series(State(api): State<Api>, params: Params) -> Result<Response, ApiError> {
    let (limit, times) = (params.limit()?, times_of(&params)?);
    let selectors = params.selectors()?;
    if selectors.is_empty() {
        return Err(ApiError::bad("no match[] parameter provided"));
    }
    let data = api.data;
    json::answer(&api.calls, move |json, _| {
        let moment = data.moment();
        let mut warnings = json::left_out(&moment);
        let mut rows = moment.within(times).series(&selectors, &mut Work::default())?;
        let mut count = 0;
        json.put(b"[");
        while let Some(row) = rows.next()? {
            if limit == Some(count) {
                warnings.push(TRUNCATED.to_owned());
                break;
            }
            if count > 0 {
                json.put(b",");
            }
            put_api_labels(&row.labels, &mut json.text);
            json.step()?;
            count += 1;
        }
        json.put(b"]");
        Ok(warnings)
    })
    .await
}

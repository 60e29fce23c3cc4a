//! Errors as they are said.

use datafusion::arrow::error::ArrowError;
use datafusion::common::DataFusionError;

/// Says an error on standard error.
pub(crate) fn say(error: &anyhow::Error) {
    eprintln!("manicule sql: {}", sentence(error));
}

/// An error as a sentence: what went wrong, without the layers that it has passed.
pub(crate) fn sentence(error: &anyhow::Error) -> String {
    let text = match error.downcast_ref::<DataFusionError>() {
        Some(error) => cause(error),
        None => error.to_string(),
    };
    text.trim_end().replace('\n', " ")
}

fn cause(error: &DataFusionError) -> String {
    match error {
        DataFusionError::Context(_, error) => cause(error),
        DataFusionError::Diagnostic(_, error) => cause(error),
        DataFusionError::Shared(error) => cause(error),
        DataFusionError::Collection(errors) => errors.first().map_or_else(String::new, cause),
        DataFusionError::External(error) => match error.downcast_ref() {
            Some(error) => cause(error),
            None => error.to_string(),
        },
        DataFusionError::ArrowError(error, _) => match &**error {
            ArrowError::ExternalError(error) => match error.downcast_ref() {
                Some(error) => cause(error),
                None => error.to_string(),
            },
            error => error.to_string(),
        },
        DataFusionError::SQL(error, _) => {
            error.to_string().trim_start_matches("sql parser error: ").to_owned()
        }
        DataFusionError::ResourcesExhausted(text) => {
            // Who has how much is of no use to whoever asks.
            let (what, _) = text.split_once(" with top memory consumers").unwrap_or((text, ""));
            format!("the query needs more memory than --memory gives it: {what}")
        }
        DataFusionError::Plan(text)
        | DataFusionError::Configuration(text)
        | DataFusionError::Execution(text) => text.clone(),
        error => error.strip_backtrace(),
    }
}

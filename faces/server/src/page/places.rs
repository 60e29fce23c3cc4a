//! What is served, and the tables that there are of it.

use manicule::Failure;
use manicule::catalog;
use manicule::watch::Watch;
use serde_json::{Value, json};

use super::allowed::{is_allowed, system_of};
use super::params::Params;
use super::state::Page;

/// The places, each with the names of its tables.
pub(super) fn places(page: &Page, _: &Params, _: &Watch<'_>) -> Result<String, Failure> {
    let places = page.served.places().iter().map(|place| {
        let system = place.kind.system().word();
        let own = catalog::tables().iter().filter(|table| system_of(table.name) == Some(system));
        let tables: Vec<&str> = own.map(|table| table.name).collect();
        json!({
            "name": place.name, "system": system, "noun": place.kind.noun(), "tables": tables,
        })
    });
    Ok(json!({ "places": places.collect::<Vec<_>>() }).to_string())
}

/// All tables of systems, each with the arguments that a request may give.
pub(super) fn tables(_: &Page, _: &Params, _: &Watch<'_>) -> Result<String, Failure> {
    let all = catalog::tables().iter().filter(|table| system_of(table.name).is_some());
    let tables = all.map(|table| {
        let arguments = table.arguments.iter().filter(|argument| is_allowed(argument));
        let arguments: Vec<Value> = arguments
            .map(|own| json!({ "name": own.name, "takes": own.takes.word(), "about": own.about }))
            .collect();
        json!({ "name": table.name, "about": table.about, "arguments": arguments })
    });
    Ok(json!({ "tables": tables.collect::<Vec<_>>() }).to_string())
}

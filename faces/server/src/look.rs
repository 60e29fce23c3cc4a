//! Looking again at what is served: blocks, shards, tables and commits that others have written
//! since.

use std::time::Duration;

use manicule::place::is_address;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{MissedTickBehavior, interval};

use crate::app::say;
use crate::calls::Calls;
use crate::served::{Place, Served};

/// How often local places are looked at, and those at addresses, where a look costs requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Every {
    pub(crate) local: Duration,
    pub(crate) remote: Duration,
}

/// Looks at each place again and again; aborted, it ends.
pub(crate) fn look_again_and_again(served: &Served, calls: &Calls, every: Every) -> JoinHandle<()> {
    let looks: Vec<_> = served
        .places()
        .iter()
        .map(|place| {
            let every = if is_address(&place.path) { every.remote } else { every.local };
            look_at(place.clone(), calls.clone(), every)
        })
        .collect();
    tokio::spawn(async move {
        futures::future::join_all(looks).await;
    })
}

async fn look_at(place: Place, calls: Calls, every: Duration) {
    let mut ticks = interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks.tick().await;
    let mut said = None;
    loop {
        ticks.tick().await;
        let (handle, context) = (place.handle.clone(), calls.context().clone());
        let looked = spawn_blocking(move || context.enter(|| handle.look_again())).await;
        let failure = match looked {
            Ok(Ok(())) => None,
            Ok(Err(failure)) => Some(failure.to_string()),
            Err(error) => Some(error.to_string()),
        };
        if failure != said
            && let Some(failure) = &failure
        {
            say(&format_args!("{}: what was last seen is still served: {failure}", place.name));
        }
        said = failure;
    }
}

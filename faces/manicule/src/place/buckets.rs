//! Addresses of object stores, each bucket opened once.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use manicule_bucket::{
    Address, Bucket, Counts, Identity, Options, Prices, Scheme, open, variables_of_process,
};
use manicule_store::context::{Addresses, Cost};
use manicule_store::store::{Name, Store, StoreError};

use super::reach::{Reach, Style};

/// The buckets that were opened, by what their addresses begin with.
#[derive(Debug)]
struct Buckets {
    options: Options,
    opened: Mutex<HashMap<String, Bucket>>,
}

/// What opens addresses as it is said, and else as the environment of the process has it.
pub(super) fn opener(how: Reach) -> Arc<dyn Addresses> {
    let Reach { endpoint, region, is_anonymous, style } = how;
    let mut options = Options::of_variables(variables_of_process());
    (options.endpoint, options.region) = (endpoint, region);
    if is_anonymous {
        options.identity = Identity::Anonymous;
    }
    if let Some(style) = style {
        options.style = match style {
            Style::Path => manicule_bucket::Style::Path,
            Style::Host => manicule_bucket::Style::Host,
        };
    }
    Arc::new(Buckets { options, opened: Mutex::default() })
}

impl Buckets {
    fn opened(&self) -> MutexGuard<'_, HashMap<String, Bucket>> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Addresses for Buckets {
    fn resolve(&self, text: &str) -> Result<(Arc<dyn Store>, Name), StoreError> {
        let address = Address::parse(text).map_err(|error| StoreError {
            file: PathBuf::from(text),
            source: io::Error::new(io::ErrorKind::InvalidInput, error.what()),
        })?;
        let whole = whole(text, &address);
        let mut opened = self.opened();
        let bucket = match opened.get(&whole) {
            Some(bucket) => bucket.clone(),
            None => {
                let bucket = open(&whole, &self.options)?;
                opened.insert(whole, bucket.clone());
                bucket
            }
        };
        Ok((Arc::new(bucket), address.prefix))
    }

    fn cost(&self) -> Option<Cost> {
        let opened = self.opened();
        opened.values().map(|bucket| cost(&bucket.counts())).reduce(|mut all, one| {
            // Of each bucket they are counted from the first request of all on.
            let rounds = all.rounds.max(one.rounds);
            all.add(&one);
            Cost { rounds, ..all }
        })
    }
}

/// The address of all of a bucket.
fn whole(text: &str, address: &Address) -> String {
    if address.scheme == Scheme::Http {
        return address.bucket.clone();
    }
    let text = text.trim_end_matches('/');
    let whole = text.strip_suffix(address.prefix.as_str()).unwrap_or(text);
    whole.trim_end_matches('/').to_owned()
}

fn cost(counts: &Counts) -> Cost {
    Cost {
        requests: counts.requests(),
        rounds: counts.rounds,
        bytes: counts.read_bytes,
        nanodollars: (Prices::S3_STANDARD.cost(counts) * 1e9).round() as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_a_bucket_share_it() {
        for (text, want) in [
            ("s3://bucket", "s3://bucket"),
            ("s3://bucket/a/b/", "s3://bucket"),
            ("s3:http://host:1/bucket/a", "s3:http://host:1/bucket"),
            ("gs://bucket/bucket", "gs://bucket"),
            ("https://host/a%20b/c", "https://host"),
        ] {
            assert_eq!(whole(text, &Address::parse(text).unwrap()), want);
        }
    }
}

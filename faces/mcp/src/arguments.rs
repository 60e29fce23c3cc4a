//! Arguments of a call, read by name and type.

use manicule::Failure;
use serde_json::{Map, Value};

/// Arguments of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arguments<'a>(&'a Map<String, Value>);

impl<'a> Arguments<'a> {
    /// Arguments of a tool whose schema has these properties.
    ///
    /// # Errors
    /// A name that is none of them.
    pub(crate) fn of(given: &'a Map<String, Value>, schema: &Value) -> Result<Self, Failure> {
        let known = schema["properties"].as_object();
        let is_known = |name: &str| known.is_some_and(|known| known.contains_key(name));
        match given.keys().find(|name| !is_known(name)) {
            Some(name) => {
                let all: Vec<&str> =
                    known.into_iter().flat_map(Map::keys).map(String::as_str).collect();
                let all = all.join(", ");
                Err(Failure::asked(format!("there is no argument {name}: there are {all}")))
            }
            None => Ok(Arguments(given)),
        }
    }

    /// The arguments as they came.
    pub(crate) fn given(self) -> &'a Map<String, Value> {
        self.0
    }

    /// An argument that is there; null is as if it weren't.
    pub(crate) fn value(self, name: &str) -> Option<&'a Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// A text.
    pub(crate) fn text(self, name: &str) -> Result<Option<&'a str>, Failure> {
        self.typed(name, "a text", Value::as_str)
    }

    /// Texts.
    pub(crate) fn texts(self, name: &str) -> Result<Option<Vec<&'a str>>, Failure> {
        self.typed(name, "an array of texts", |value| {
            value.as_array()?.iter().map(Value::as_str).collect()
        })
    }

    /// Yes or no; without it no.
    pub(crate) fn is_set(self, name: &str) -> Result<bool, Failure> {
        Ok(self.typed(name, "true or false", Value::as_bool)?.unwrap_or(false))
    }

    /// A whole number that isn't below 0.
    pub(crate) fn count(self, name: &str) -> Result<Option<u64>, Failure> {
        self.typed(name, "a whole number from 0 on", Value::as_u64)
    }

    fn typed<T>(
        self,
        name: &str,
        wanted: &str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, Failure> {
        let Some(value) = self.value(name) else { return Ok(None) };
        let wrong = || Failure::asked(format!("argument {name}: {wanted} is expected"));
        read(value).map(Some).ok_or_else(wrong)
    }
}

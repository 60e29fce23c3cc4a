//! What a request says: names and texts.

use std::str::FromStr;

use manicule::Failure;

/// The parameters of a request, in its order. One with an empty text isn't given.
#[derive(Clone, Debug)]
pub(super) struct Params(pub(super) Vec<(String, String)>);

impl Params {
    /// The first text of a name.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        let is = |(own, text): &&(String, String)| own == name && !text.is_empty();
        self.0.iter().find(is).map(|(_, text)| text.as_str())
    }

    /// All texts of a name.
    pub(super) fn texts<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let is = move |(own, text): &&(String, String)| own == name && !text.is_empty();
        self.0.iter().filter(is).map(|(_, text)| text.as_str())
    }

    /// The text of a name that has to be there.
    pub(super) fn needed(&self, name: &str) -> Result<&str, Failure> {
        self.text(name).ok_or_else(|| Failure::asked(format!("the request has no {name}")))
    }

    /// A number, at most `max`.
    pub(super) fn number<N: FromStr + Ord + Copy>(
        &self,
        name: &str,
        default: N,
        max: N,
    ) -> Result<N, Failure> {
        let Some(text) = self.text(name) else { return Ok(default) };
        let wrong = |_| Failure::asked(format!("{name}: {text} is no number"));
        Ok(text.parse::<N>().map_err(wrong)?.min(max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_empty_is_not_given_and_numbers_are_bounded() {
        let given = [("a", ""), ("a", "x"), ("a", "y"), ("n", "7"), ("big", "900"), ("no", "-1")];
        let own = given.map(|(name, text)| (name.to_owned(), text.to_owned()));
        let params = Params(own.into());
        assert_eq!(params.text("a"), Some("x"));
        assert_eq!(params.texts("a").collect::<Vec<_>>(), ["x", "y"]);
        assert_eq!(params.needed("b").unwrap_err().to_string(), "the request has no b");
        assert_eq!(params.number("n", 5_u64, 10), Ok(7));
        assert_eq!(params.number("big", 5_u64, 10), Ok(10));
        assert_eq!(params.number("b", 5_u64, 10), Ok(5));
        assert_eq!(params.number("no", 5_u64, 10).unwrap_err().to_string(), "no: -1 is no number");
    }
}

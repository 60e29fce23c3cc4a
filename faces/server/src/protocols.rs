//! Protocols, and which one a path is of.

/// Words of protocols, as metrics have them.
pub(crate) const PROTOCOLS: [&str; 7] =
    ["sparql", "prometheus", "zoekt", "restic", "mcp", "page", "server"];

/// The protocol of a path, as an index of [`PROTOCOLS`].
pub(crate) fn protocol_of(path: &str) -> usize {
    let mut parts = path.trim_start_matches('/').split('/');
    let mut first = parts.next().unwrap_or_default();
    if first == "at" {
        first = parts.nth(1).unwrap_or_default();
    }
    let word = match (first, parts.next()) {
        ("query" | "update" | "sparql" | "store", _) => "sparql",
        ("api", Some("search" | "list")) => "zoekt",
        ("api" | "-", _) => "prometheus",
        ("config" | "keys" | "locks" | "snapshots" | "index" | "data", _) => "restic",
        ("mcp", _) => "mcp",
        ("" | "ui" | "assets", _) => "page",
        _ => "server",
    };
    PROTOCOLS.iter().position(|own| *own == word).unwrap_or(PROTOCOLS.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_of_a_protocol() {
        for (path, wanted) in [
            ("/query", "sparql"),
            ("/at/lamps/query", "sparql"),
            ("/store/a/b", "sparql"),
            ("/api/search", "zoekt"),
            ("/api/v1/labels", "prometheus"),
            ("/at/x/api/v1/labels", "prometheus"),
            ("/-/ready", "prometheus"),
            ("/data/0011", "restic"),
            ("/mcp", "mcp"),
            ("/", "page"),
            ("/ui/find", "page"),
            ("/metrics", "server"),
            ("/at", "page"),
            ("/nothing", "server"),
        ] {
            assert_eq!(PROTOCOLS[protocol_of(path)], wanted, "{path}");
        }
    }
}

//! Descriptions of repositories from their config: section `zoekt`, or the URL of `origin`.

use gix_config::File as Config;
use manicule_core::go::{Url, quote};
use manicule_format_zoekt::{Repository, Text};

/// Keys of the config whose numbers add up to how much a repository is looked at.
const TRACTION: [&str; 4] =
    ["github-stars", "github-forks", "github-watchers", "github-subscribers"];

/// Fills in what the config says. A name that the repository has already stays. An error says what
/// could not be told; what comes before it is filled in.
pub(super) fn describe(config: &Config, repository: &mut Repository) -> Result<(), String> {
    let given = std::mem::take(&mut repository.name);
    let described = by_config(config, repository);
    if !given.0.is_empty() {
        repository.name = given;
    }
    described
}

fn by_config(config: &Config, repository: &mut Repository) -> Result<(), String> {
    let own = own_values(config);
    let value = |key: &str| {
        let found = own.iter().rev().find(|(name, _)| name.eq_ignore_ascii_case(key));
        found.map(|(_, value)| value.as_str()).unwrap_or_default()
    };
    match (value("web-url"), value("web-url-type")) {
        ("", _) => {}
        (url, "") => url.clone_into(&mut repository.url),
        (url, site) => fill_templates(repository, read(url)?, site)?,
    }
    match value("name") {
        "" => {
            let Some(origin) = origin(config) else { return Ok(()) };
            by_origin(repository, read(&origin)?)?;
        }
        name => repository.name = name.into(),
    }
    repository.id = value("repoid").parse().unwrap_or(0);
    repository.tenant_id = value("tenantID").parse().unwrap_or(0);
    let raw = repository.raw_config.get_or_insert_default();
    raw.extend(own.iter().cloned());
    let mut traction: i64 = TRACTION.iter().filter_map(|key| value(key).parse::<i64>().ok()).sum();
    if repository.name.to_string().contains("googlesource.com/") && traction == 0 {
        traction = 1000;
    }
    if traction > 0 {
        let weight = (1.0 + (traction as f64).ln()).powf(0.6);
        repository.rank = ((1.0 - 1.0 / weight) * 10_000.0) as u16;
    }
    Ok(())
}

/// Names and values of section `zoekt`, in their order.
fn own_values(config: &Config) -> Vec<(String, String)> {
    let sections = config.sections_by_name("zoekt").into_iter().flatten();
    let sections = sections.filter(|section| section.header().subsection_name().is_none());
    let mut values = Vec::new();
    for section in sections {
        let body = section.body();
        for name in body.value_names() {
            let value = body.value(&name).map(|value| value.to_string());
            values.push((name, value.unwrap_or_default()));
        }
    }
    values
}

/// The URL of remote `origin`.
pub(super) fn origin(config: &Config) -> Option<String> {
    let urls = config.strings("remote.origin.url")?;
    urls.first().map(ToString::to_string).filter(|url| !url.is_empty())
}

/// A URL, also one of the kind `user@host:path`.
fn read(url: &str) -> Result<Url, String> {
    let url = match url.split_once('@').and_then(|(user, rest)| Some((user, rest.split_once(':')?)))
    {
        Some((user, (host, path))) if !user.is_empty() && !host.is_empty() => {
            format!("ssh+git://{user}@{host}/{path}")
        }
        _ => url.to_owned(),
    };
    Url::parse(&url).ok_or_else(|| format!("{url:?} is no URL"))
}

/// A URL that a browser opens.
fn web(mut url: Url) -> Url {
    if url.scheme == "ssh+git" {
        "https".clone_into(&mut url.scheme);
        url.user = None;
    }
    url
}

/// The URL that submodules of a submodule are relative to; empty if it has none.
pub(super) fn submodule_url(config: &Config) -> Result<String, String> {
    let own = own_values(config);
    let web_url = own.iter().rev().find(|(name, _)| name.eq_ignore_ascii_case("web-url"));
    let url = web_url.map(|(_, url)| url.clone()).filter(|url| !url.is_empty());
    let Some(url) = url.or_else(|| origin(config)) else { return Ok(String::new()) };
    let url = web(read(&url)?);
    Ok(if url.scheme.is_empty() { String::new() } else { url.to_string() })
}

/// Name and templates by the URL that a repository was cloned from.
fn by_origin(repository: &mut Repository, url: Url) -> Result<(), String> {
    repository.name = Text::from(url.clone().without_suffix(".git").host_and_path().as_str());
    match url.host.as_str() {
        "github.com" => fill_templates(repository, url.without_suffix(".git"), "github"),
        host if host.ends_with(".googlesource.com") => fill_templates(repository, url, "gitiles"),
        _ => Err(format!("{url} is of no known hosting site: set zoekt.web-url and web-url-type")),
    }
}

/// The description of a submodule at `path`, whose repository is at a URL.
pub(super) fn sub_repository(url: &str, path: &str) -> Repository {
    // What `{}` describes: without branches, config and sub-repositories of its own.
    let mut repository = Repository::from_json(b"{}").expect("an empty description");
    url.clone_into(&mut repository.url);
    if let Some(url) = Url::parse(url).filter(|_| !url.is_empty()) {
        // On a site that nobody knows it has no links.
        let _ = by_origin(&mut repository, url);
    }
    if repository.name.0.is_empty() {
        repository.name = path.into();
    }
    repository
}

/// Templates of links to commits, files and lines on a hosting site of a kind.
fn fill_templates(repository: &mut Repository, url: Url, site: &str) -> Result<(), String> {
    let url = web(url).to_string();
    let joined = |parts: &[&str]| {
        let parts = parts.iter().map(|part| match *part {
            ".Version" | ".Path" => (*part).to_owned(),
            part => quote(part),
        });
        let words: Vec<String> = std::iter::once(quote(&url)).chain(parts).collect();
        format!("{{{{URLJoinPath {}}}}}", words.join(" "))
    };
    repository.url.clone_from(&url);
    let (version, path) = (".Version", ".Path");
    let (commit, file, line) = match site {
        "gitiles" => (joined(&["+", version]), joined(&["+", version, path]), "#{{.LineNumber}}"),
        "github" => {
            (joined(&["commit", version]), joined(&["blob", version, path]), "#L{{.LineNumber}}")
        }
        "cgit" => (
            joined(&["commit"]) + "/?id={{.Version}}",
            joined(&["tree", path]) + "/?id={{.Version}}",
            "#n{{.LineNumber}}",
        ),
        "gitweb" => (
            format!("{url};a=commit;h={{{{.Version}}}}"),
            format!("{url};a=blob;f={{{{.Path}}}};hb={{{{.Version}}}}"),
            "#l{{.LineNumber}}",
        ),
        "source.bazel.build" => (
            format!("{url}/%2B/{{{{.Version}}}}"),
            format!("{url}/%2B/{{{{.Version}}}}:{{{{.Path}}}}"),
            ";l={{.LineNumber}}",
        ),
        "bitbucket-server" => (
            joined(&["commits", version]),
            joined(&[path]) + "?at={{.Version}}",
            "#{{.LineNumber}}",
        ),
        "bitbucket-cloud" => {
            (joined(&["commits", version]), joined(&["src", version, path]), "#{{.LineNumber}}")
        }
        "azuredevops" => (
            joined(&["commit", version]),
            joined(&[]) + "?path=/{{.Path}}&version=GC{{.Version}}&_a=contents",
            "&line={{.LineNumber}}&lineEnd={{.LineNumber}}&lineStartColumn=1&lineEndColumn=200",
        ),
        "gitlab" => (
            joined(&["-/commit", version]),
            joined(&["-/blob", version, path]),
            "#L{{.LineNumber}}",
        ),
        "gitea" => (
            joined(&["commit", version]),
            joined(&["src/commit", version, path]) + "?display=source",
            "#L{{.LineNumber}}",
        ),
        _ => return Err(format!("there are no links of a web-url-type {site:?}")),
    };
    repository.commit_url_template = commit;
    repository.file_url_template = file;
    line.clone_into(&mut repository.line_fragment_template);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use super::super::repository::parse_config;
    use super::*;

    fn described(config: &str) -> (Repository, Result<(), String>) {
        let config = parse_config(config.as_bytes(), Path::new("config")).unwrap();
        let mut repository = Repository::from_json(b"{}").unwrap();
        let described = describe(&config, &mut repository);
        (repository, described)
    }

    #[test]
    fn an_origin_on_a_known_site_has_links() {
        for url in ["git@github.com:a/b.git", "https://github.com/a/b.git"] {
            let (repository, described) =
                described(&format!("[remote \"origin\"]\n\turl = {url}\n[core]\n\tbare = true\n"));
            assert_eq!(described, Ok(()));
            assert_eq!(repository.name, "github.com/a/b".into());
            assert_eq!(repository.url, "https://github.com/a/b");
            let want = r#"{{URLJoinPath "https://github.com/a/b" "blob" .Version .Path}}"#;
            assert_eq!(repository.file_url_template, want);
            assert_eq!(repository.raw_config, Some(BTreeMap::new()));
        }
    }

    #[test]
    fn an_origin_on_another_site_has_a_name() {
        let (repository, described) = described("[remote \"origin\"]\n\turl = /srv/git/x.git\n");
        assert!(described.is_err());
        assert_eq!(repository.name, "/srv/git/x".into());
        assert_eq!(repository.raw_config, None);
    }

    #[test]
    fn the_section_of_zoekt_says_all() {
        let (repository, described) = described(
            "[zoekt]\n\tname = a\n\trepoid = 7\n\ttenantID = 3\n\tgithub-stars = 100\n\
             [Zoekt]\n\tname = b\n\tarchived\n[zoekt \"other\"]\n\tname = c\n",
        );
        assert_eq!(described, Ok(()));
        assert_eq!((repository.id, repository.tenant_id, repository.rank), (7, 3, 6444));
        assert_eq!(repository.name, "b".into());
        let raw = repository.raw_config.unwrap();
        let raw: Vec<(&str, &str)> = raw.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        let want = [("archived", ""), ("github-stars", "100"), ("name", "b"), ("repoid", "7")];
        assert_eq!(raw[..4], want);
    }

    #[test]
    fn submodules_without_a_url_are_named_by_their_path() {
        assert_eq!(sub_repository("", "third/wick").name, "third/wick".into());
        let repository = sub_repository("https://example.org/wick.git", "x");
        assert_eq!(repository.name, "example.org/wick".into());
        assert_eq!(repository.url, "https://example.org/wick.git");
    }
}

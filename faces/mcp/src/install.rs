//! How clients are told to start the program: where each keeps its servers, and the lines to put
//! there.

use serde_json::{Map, Value, json};

/// What a client is to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The program.
    pub path: String,
    /// Its words, from `mcp` on.
    pub words: Vec<String>,
}

/// The lines for a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    /// The client's name, as it is shown.
    pub client: &'static str,
    /// The word that selects it.
    pub word: &'static str,
    /// Where the lines go.
    pub place: &'static str,
    /// The lines.
    pub text: String,
}

/// A client.
struct Client {
    name: &'static str,
    word: &'static str,
    place: &'static str,
    lines: fn(&Program) -> String,
}

const CLIENTS: &[Client] = &[
    Client {
        name: "Claude Code",
        word: "claude-code",
        place: "run it in a shell; with `--scope user` before `manicule` for all projects",
        lines: |program| format!("claude mcp add manicule -- {}", shell(program)),
    },
    Client {
        name: "Claude Desktop",
        word: "claude-desktop",
        place: "claude_desktop_config.json: macOS ~/Library/Application Support/Claude, Windows %APPDATA%\\Claude, Linux ~/.config/Claude",
        lines: |program| servers("mcpServers", &program.json()),
    },
    Client {
        name: "Cursor",
        word: "cursor",
        place: "~/.cursor/mcp.json, or .cursor/mcp.json in a project",
        lines: |program| servers("mcpServers", &program.json()),
    },
    Client {
        name: "VS Code",
        word: "vscode",
        place: ".vscode/mcp.json in a workspace, or `MCP: Open User Configuration`",
        lines: |program| servers("servers", &program.with("type", "stdio".into())),
    },
    Client {
        name: "Zed",
        word: "zed",
        place: "~/.config/zed/settings.json",
        lines: |program| servers("context_servers", &program.with("source", "custom".into())),
    },
    Client {
        name: "Windsurf",
        word: "windsurf",
        place: "~/.codeium/windsurf/mcp_config.json",
        lines: |program| servers("mcpServers", &program.json()),
    },
    Client {
        name: "Gemini CLI",
        word: "gemini",
        place: "~/.gemini/settings.json, or .gemini/settings.json in a project",
        lines: |program| servers("mcpServers", &program.json()),
    },
    Client { name: "Codex", word: "codex", place: "~/.codex/config.toml", lines: toml },
    Client {
        name: "Goose",
        word: "goose",
        place: "~/.config/goose/config.yaml, below extensions",
        lines: yaml,
    },
];

/// Words of all clients.
pub fn words() -> Vec<&'static str> {
    CLIENTS.iter().map(|client| client.word).collect()
}

/// The lines of each client.
pub fn lines(program: &Program) -> Vec<Lines> {
    let of = |client: &Client| Lines {
        client: client.name,
        word: client.word,
        place: client.place,
        text: (client.lines)(program),
    };
    CLIENTS.iter().map(of).collect()
}

impl Program {
    fn json(&self) -> Map<String, Value> {
        let entry = json!({ "command": self.path, "args": self.words });
        entry.as_object().cloned().unwrap_or_default()
    }

    fn with(&self, name: &str, value: Value) -> Map<String, Value> {
        let mut entry = self.json();
        entry.insert(name.to_owned(), value);
        entry
    }
}

/// A file of JSON with one server.
fn servers(key: &str, entry: &Map<String, Value>) -> String {
    serde_json::to_string_pretty(&json!({ key: { "manicule": entry } })).expect("keys are texts")
}

/// A word between quotes in which a backslash is one: as JSON, TOML and YAML have it.
fn quoted(word: &str) -> String {
    Value::from(word).to_string()
}

fn toml(program: &Program) -> String {
    let words: Vec<String> = program.words.iter().map(|word| quoted(word)).collect();
    let (path, words) = (quoted(&program.path), words.join(", "));
    format!("[mcp_servers.manicule]\ncommand = {path}\nargs = [{words}]")
}

fn yaml(program: &Program) -> String {
    let words: Vec<String> = program.words.iter().map(|word| quoted(word)).collect();
    let (path, words) = (quoted(&program.path), words.join(", "));
    format!(
        "manicule:\n  enabled: true\n  type: stdio\n  name: manicule\n  cmd: {path}\n  args: [{words}]\n  \
         timeout: 300"
    )
}

/// Words as a shell of POSIX takes them.
fn shell(program: &Program) -> String {
    let is_plain = |word: &str| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./=:@%+,".contains(&byte);
        !word.is_empty() && word.bytes().all(is_plain)
    };
    let word = |word: &String| {
        if is_plain(word) { word.clone() } else { format!("'{}'", word.replace('\'', r"'\''")) }
    };
    let words = std::iter::once(&program.path).chain(&program.words);
    words.map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(word: &str, words: &[&str]) -> String {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        let program = Program { path: "/opt/a b/manicule".to_owned(), words };
        let found = lines(&program).into_iter().find(|lines| lines.word == word);
        found.unwrap().text
    }

    #[test]
    fn words_are_quoted_as_each_file_has_them() {
        let words = ["mcp", "it's", "a\"b\\c"];
        assert_eq!(
            of("claude-code", &words),
            r#"claude mcp add manicule -- '/opt/a b/manicule' mcp 'it'\''s' 'a"b\c'"#
        );
        let json: Value = serde_json::from_str(&of("vscode", &words)).unwrap();
        let want = json!({ "type": "stdio", "command": "/opt/a b/manicule", "args": words });
        assert_eq!(json["servers"]["manicule"], want);
        let want = "[mcp_servers.manicule]\ncommand = \"/opt/a b/manicule\"\nargs = [\"mcp\", \"it's\", \"a\\\"b\\\\c\"]";
        assert_eq!(of("codex", &words), want);
    }
}

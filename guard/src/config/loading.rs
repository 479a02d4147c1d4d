//! Where values come from besides code: TOML, files and the environment.
//!
//! Must not know: the rules of the fields, or what is done with a configuration.

use std::{
    ffi::{OsStr, OsString},
    fs,
    path::Path,
};

use toml::de::DeTable;

use super::{
    SecurityConfigBuilder,
    error::{ConfigError, Problem},
    field::Field,
    fields::{fields, find},
    raw::{Raw, entries},
    text,
    values::unknown,
};

const PREFIX: &str = "GUARD_";
/// Names the configuration file; it is for the application, and no field.
const CONFIG_FILE: &str = "GUARD_CONFIG";
/// What errors about the text as a whole begin with.
const TOML: &str = "toml";

/// Loading. A field that is set overrides what was called before; the others stay.
impl SecurityConfigBuilder {
    /// Sets the fields that a TOML text sets.
    ///
    /// # Errors
    /// Text that is not TOML, an unknown field, or a field whose value is not acceptable.
    pub fn toml(self, text: &str) -> Result<Self, ConfigError> {
        let table = DeTable::parse(text)
            .map_err(|error| ConfigError::new(TOML, &syntax_error(text, &error)))?;
        self.entries(entries(table.get_ref()))
    }

    /// Sets the fields that a TOML file sets.
    ///
    /// # Errors
    /// A file that cannot be read, and as for [`toml`](Self::toml).
    pub fn file(self, path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        let path = path.as_ref();
        let in_file =
            |message: String| ConfigError::new(TOML, &format!("{}: {message}", path.display()));
        let text = fs::read_to_string(path)
            .map_err(|error| in_file(format!("cannot be read: {error}")))?;
        let table = DeTable::parse(&text).map_err(|error| in_file(syntax_error(&text, &error)))?;
        self.entries(entries(table.get_ref()))
    }

    /// Sets the fields that `GUARD_*` variables of the process's environment set: `GUARD_RATE_LIMIT` for `rate_limit`,
    /// and so on. Lists are separated by commas and replace the whole list; `[[routes]]` can only be set in TOML.
    ///
    /// `GUARD_CONFIG` is not a field and is left alone, and so is what Kubernetes injects for a Service called
    /// `guard` (`GUARD_PORT`, `GUARD_PORT_*` and `GUARD_SERVICE_*`) or, say, `guard-redis`: `GUARD_REDIS_SERVICE_HOST`,
    /// `GUARD_REDIS_PORT_6379_TCP` and the like.
    ///
    /// # Errors
    /// An unknown `GUARD_*` name, or a variable whose value is not acceptable.
    pub fn env(self) -> Result<Self, ConfigError> {
        self.env_from(std::env::vars_os())
    }

    /// As [`env`](Self::env), from these names and values.
    ///
    /// # Errors
    /// As for [`env`](Self::env).
    pub fn env_from<I, N, V>(mut self, variables: I) -> Result<Self, ConfigError>
    where
        I: IntoIterator<Item = (N, V)>,
        N: Into<OsString>,
        V: Into<OsString>,
    {
        let mut variables: Vec<(String, OsString)> = variables
            .into_iter()
            .map(|(name, value)| (name.into().to_string_lossy().into_owned(), value.into()))
            .filter(|(name, value)| is_ours(name, value))
            .collect();
        // The environment has no order of its own, and errors should not depend on it.
        variables.sort_by(|(left, _), (right, _)| left.cmp(right));
        for (name, value) in variables {
            self.variable(&name, &value)?;
        }
        Ok(self)
    }

    /// The file that `GUARD_CONFIG` names, if it is set, and the environment over it.
    pub(super) fn environment(
        self,
        variables: Vec<(OsString, OsString)>,
    ) -> Result<Self, ConfigError> {
        let path = variables
            .iter()
            .find(|(name, _)| name == CONFIG_FILE)
            .map(|(_, path)| path);
        let builder = match path {
            Some(path) if path.is_empty() => {
                let problem = Problem::must("be the path of a file, not \"\"");
                return Err(problem.in_field(CONFIG_FILE));
            }
            Some(path) => self.file(path)?,
            None => self,
        };
        builder.env_from(variables)
    }

    pub(super) fn entries(mut self, entries: Vec<(String, Raw)>) -> Result<Self, ConfigError> {
        for (name, raw) in entries {
            let field = find(&name).ok_or_else(|| unknown_field(&name))?;
            field
                .check(&raw)
                .map_err(|problem| problem.in_field(field.name))?;
            self.keep(field.name, raw, false);
        }
        Ok(self)
    }

    fn variable(&mut self, variable: &str, value: &OsStr) -> Result<(), ConfigError> {
        let field = fields()
            .find(|field| field.variable() == variable)
            .ok_or_else(|| unknown_variable(variable))?;
        let raw = read_variable(field, value)
            .map_err(|problem| problem.in_variable(field.name, variable))?;
        self.keep(field.name, raw, true);
        Ok(())
    }
}

fn read_variable(field: &Field, value: &OsStr) -> Result<Raw, Problem> {
    let value = value
        .to_str()
        .ok_or_else(|| Problem::must("be Unicode text"))?;
    if field.only_in_files() {
        return Err(Problem::statement("can only be set in the file"));
    }
    let raw = field.form.read(value);
    field.check(&raw)?;
    Ok(raw)
}

fn is_ours(variable: &str, value: &OsStr) -> bool {
    variable.starts_with(PREFIX) && variable != CONFIG_FILE && !is_from_kubernetes(variable, value)
}

/// Kubernetes injects these into every pod for a Service called `guard`, and for each whose name begins so: `guard-redis`.
fn is_from_kubernetes(variable: &str, value: &OsStr) -> bool {
    variable == "GUARD_PORT"
        || variable.starts_with("GUARD_PORT_")
        || variable.starts_with("GUARD_SERVICE_")
        || variable.ends_with("_SERVICE_HOST")
        || variable.ends_with("_SERVICE_PORT")
        || variable.contains("_SERVICE_PORT_")
        // The name alone may be somebody's guess at how to set the port of Redis.
        || variable.ends_with("_PORT") && is_place(value)
        || variable.split("_PORT_").skip(1).any(is_port_and_protocol)
}

const PROTOCOLS: [&str; 3] = ["TCP", "UDP", "SCTP"];

/// As in `tcp://10.0.0.1:6379`.
fn is_place(value: &OsStr) -> bool {
    let scheme = value.to_str().and_then(|value| value.split_once("://"));
    scheme.is_some_and(|(scheme, _)| PROTOCOLS.iter().any(|it| scheme.eq_ignore_ascii_case(it)))
}

/// As in `6379_TCP` and `6379_TCP_ADDR`.
fn is_port_and_protocol(text: &str) -> bool {
    let mut parts = text.split('_');
    let port = parts.next().unwrap_or_default();
    port.parse::<u16>().is_ok()
        && parts
            .next()
            .is_some_and(|protocol| PROTOCOLS.contains(&protocol))
        && parts
            .next()
            .is_none_or(|part| ["PROTO", "PORT", "ADDR"].contains(&part))
        && parts.next().is_none()
}

fn unknown_field(name: &str) -> ConfigError {
    let known = fields().map(|field| field.name);
    ConfigError::new(name, &unknown("field", name, known))
}

fn unknown_variable(variable: &str) -> ConfigError {
    let known: Vec<_> = fields().map(Field::variable).collect();
    let known = known.iter().map(String::as_str).chain([CONFIG_FILE]);
    ConfigError::new(variable, &unknown("variable", variable, known))
}

/// Where and why; never the line itself, which may hold a secret.
fn syntax_error(text: &str, error: &toml::de::Error) -> String {
    let message = text::one_line(error.message());
    let before = error.span().and_then(|span| text.get(..span.start));
    match before {
        Some(before) => {
            let line = before.matches('\n').count() + 1;
            let column = before
                .chars()
                .rev()
                .take_while(|char| *char != '\n')
                .count()
                + 1;
            format!("line {line}, column {column}: {message}")
        }
        None => message,
    }
}

#[cfg(test)]
mod tests;

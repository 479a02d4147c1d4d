//! A configuration as a part of another: applications often keep all their settings in one file, and have a library of their own for it.
//!
//! Must not know: fields, or what the format is.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, SeqAccess, Visitor},
};

use super::{SecurityConfig, SecurityConfigBuilder, raw::Raw};

/// From a table with the names and rules of the TOML file, in any format that describes itself.
///
/// ```
/// use actix_web_guard::SecurityConfig;
///
/// #[derive(serde::Deserialize)]
/// struct Settings {
///     port: u16,
///     #[serde(default)]
///     guard: SecurityConfig,
/// }
///
/// let settings: Settings = toml::from_str(
///     r#"
///     port = 8080
///
///     [guard]
///     rate_limit = 100
///     rate_limit_window = "1m"
///     "#,
/// )?;
/// # Ok::<(), toml::de::Error>(())
/// ```
impl<'de> Deserialize<'de> for SecurityConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let builder = SecurityConfigBuilder::deserialize(deserializer)?;
        builder.build().map_err(D::Error::custom)
    }
}

/// As for [`SecurityConfig`], for what is to be put over it: [`env`](SecurityConfigBuilder::env), or what only code can give.
impl<'de> Deserialize<'de> for SecurityConfigBuilder {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_map(RawVisitor)? {
            Raw::Table(entries) => Self::default().entries(entries).map_err(D::Error::custom),
            _ => Err(D::Error::custom(EXPECTED)),
        }
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

const EXPECTED: &str = "a table with the fields of a guard";

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(EXPECTED)
    }

    fn visit_bool<E>(self, switch: bool) -> Result<Raw, E> {
        Ok(Raw::Switch(switch))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Raw, E> {
        Ok(Raw::Integer(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Raw, E> {
        Ok(Raw::Integer(number.into()))
    }

    fn visit_i128<E>(self, number: i128) -> Result<Raw, E> {
        Ok(Raw::Integer(number))
    }

    fn visit_u128<E>(self, number: u128) -> Result<Raw, E> {
        let whole = i128::try_from(number).map(Raw::Integer);
        Ok(whole.unwrap_or_else(|_| Raw::Other(number.to_string())))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Raw, E> {
        Ok(Raw::Other(format!("{number:?}")))
    }

    fn visit_str<E>(self, text: &str) -> Result<Raw, E> {
        Ok(Raw::text(text))
    }

    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Other("null".to_owned()))
    }

    fn visit_none<E: Error>(self) -> Result<Raw, E> {
        self.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Raw, D::Error> {
        Raw::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Raw, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Raw::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Raw, A::Error> {
        let mut table = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            table.push(entry);
        }
        Ok(Raw::Table(table))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Application {
        #[serde(default)]
        guard: SecurityConfig,
    }

    const TOML: &str = r#"
        rate_limit = 100
        rate_limit_window = "5m"
        passive = true
        exempt_ips = ["192.0.2.0/24"]
        strike_reset = { after = 3600 }
        strike_on_status = [401]

        [detection]
        command = "log"

        [[routes]]
        pattern = "/login"
        method = "POST"
        requests = 5
        window = "1m"
    "#;

    fn json(value: serde_json::Value) -> Result<String, String> {
        let read = serde_json::from_value::<SecurityConfig>(value);
        read.map(|config| config.to_string())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn it_is_what_the_same_text_is_by_itself() {
        let expected = SecurityConfig::from_toml(TOML).unwrap().to_string();
        let alone: SecurityConfig = toml::from_str(TOML).unwrap();
        assert_eq!(alone.to_string(), expected);
        let value: serde_json::Value = toml::from_str(TOML).unwrap();
        assert_eq!(json(value).unwrap(), expected);
    }

    #[test]
    fn a_part_of_another_has_its_rules_and_their_errors() {
        let read = |text| toml::from_str::<Application>(text);
        let application = read("[guard]\nrate_limit = 7").unwrap();
        assert_eq!(application.guard.settings().global.requests, 7);
        let application = read("").unwrap();
        assert_eq!(
            application.guard.to_string(),
            SecurityConfig::default().to_string()
        );
        for (text, expected) in [
            (
                "[guard]\nrate_limit = 0",
                "rate_limit: must be at least 1, not 0",
            ),
            (
                "[guard]\nrate_limits = 5",
                "rate_limits: unknown field; did you mean rate_limit?",
            ),
            (
                "[guard]\nstrike_interval = 300",
                "strike_interval: must be shorter than strike_ttl (300 seconds), not 300",
            ),
        ] {
            let error = read(text).err().unwrap();
            assert!(error.message().starts_with(expected), "{error}");
        }
    }

    #[test]
    fn what_no_field_takes_is_refused_by_the_field() {
        for (value, shown) in [
            (serde_json::json!(1.5), "1.5"),
            (serde_json::json!(null), "null"),
            (serde_json::json!([5]), "a list"),
            (serde_json::json!({"a": 5}), "a table"),
            (serde_json::json!("5"), "\"5\""),
            (serde_json::json!(true), "true"),
        ] {
            assert_eq!(
                json(serde_json::json!({ "rate_limit": value })),
                Err(format!("rate_limit: must be a whole number, not {shown}"))
            );
        }
        for value in [
            serde_json::json!(5),
            serde_json::json!([]),
            serde_json::json!(null),
        ] {
            let error = json(value).unwrap_err();
            assert!(error.contains(EXPECTED), "{error}");
        }
    }

    #[test]
    fn the_environment_goes_over_a_builder() {
        let builder: SecurityConfigBuilder = toml::from_str("rate_limit = 7").unwrap();
        let config = builder.env_from([("GUARD_RATE_LIMIT", "8")]).unwrap();
        let config = config.build().unwrap();
        assert_eq!(config.settings().global.requests, 8);
        assert_eq!(config.environment_overrides(), ["rate_limit"]);
    }
}

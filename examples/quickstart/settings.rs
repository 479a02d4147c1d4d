//! Where the guard's settings come from.
//!
//! Must not know: when they are read.

use std::{env, error::Error, path::PathBuf};

use actix_web_guard::SecurityConfig;

/// The file that `GUARD_CONFIG` names, if it is set.
pub(crate) fn file() -> Option<PathBuf> {
    env::var_os("GUARD_CONFIG").map(PathBuf::from)
}

/// The defaults of this server, the file over them, and the environment over both.
pub(crate) fn security_config() -> Result<SecurityConfig, Box<dyn Error>> {
    let mut builder = SecurityConfig::builder()
        .rate_limit(50)
        .rate_limit_window(60)
        .auto_ban_threshold(5)
        .auto_ban_duration(300);
    if let Some(path) = file() {
        builder = builder.file(path)?;
    }
    Ok(builder.env()?.build()?)
}

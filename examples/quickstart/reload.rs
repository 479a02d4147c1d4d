//! Puts changed settings in force while the server runs: on SIGHUP, and when the file has changed.
//!
//! Must not know: where settings come from, or how a change of the file is noticed.

use std::{error::Error, io, time::Duration};

use actix_web::rt;
use actix_web_guard::GuardHandle;

use super::{changes::Changes, settings::security_config};

/// Two looks that find the same make a change: it is in force after a second or two.
const BETWEEN_LOOKS: Duration = Duration::from_secs(1);

/// From now on; without a file only on SIGHUP, which reads the files of lists again in any case.
pub(crate) fn start(handle: &GuardHandle, changes: Option<Changes>) -> io::Result<()> {
    on_hangup(handle.clone())?;
    if let Some(changes) = changes {
        rt::spawn(on_changes(handle.clone(), changes));
    }
    Ok(())
}

/// Where there are no signals, only changes of the file count.
fn on_hangup(handle: GuardHandle) -> io::Result<()> {
    #[cfg(unix)]
    {
        use actix_web::rt::signal::unix::{SignalKind, signal};

        let mut hangups = signal(SignalKind::hangup())?;
        rt::spawn(async move {
            while hangups.recv().await.is_some() {
                reload(&handle);
            }
        });
    }
    #[cfg(not(unix))]
    drop(handle);
    Ok(())
}

async fn on_changes(handle: GuardHandle, mut changes: Changes) {
    loop {
        rt::time::sleep(BETWEEN_LOOKS).await;
        if changes.look() {
            reload(&handle);
        }
    }
}

/// All or nothing: a configuration is complete and checked before the guard gets to see it. The guard itself logs what it takes over.
fn reload(handle: &GuardHandle) {
    if let Err(error) = read_and_apply(handle) {
        tracing::warn!(%error, "the configuration was not reloaded, and the one before stays in force");
    }
}

fn read_and_apply(handle: &GuardHandle) -> Result<(), Box<dyn Error>> {
    let config = security_config()?;
    Ok(handle.reload(&config)?)
}

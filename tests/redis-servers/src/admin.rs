//! Commands to a server, past everything that a test may have set for its clients.
//!
//! Must not know: how a server is started.

use std::{path::Path, time::Duration};

use redis::{
    Client, Connection, ConnectionAddr, ConnectionLike, IntoConnectionInfo, RedisConnectionInfo,
    RedisResult, Value,
};

use crate::settings::{ADMIN_NAME, ADMIN_PASSWORD, admin_socket};

/// Connects with every right.
pub(crate) fn connect(folder: &Path, timeout: Duration) -> RedisResult<Connection> {
    let user = RedisConnectionInfo::default()
        .set_username(ADMIN_NAME)
        .set_password(ADMIN_PASSWORD)
        .set_skip_set_lib_name();
    let info = ConnectionAddr::Unix(admin_socket(folder))
        .into_connection_info()?
        .set_redis_settings(user);
    Client::open(info)?.get_connection_with_timeout(timeout)
}

/// Sends one command on a connection of its own.
pub(crate) fn command(folder: &Path, arguments: &[&str], timeout: Duration) -> RedisResult<Value> {
    let mut connection = connect(folder, timeout)?;
    connection.set_read_timeout(Some(timeout))?;
    let mut command = redis::Cmd::new();
    for argument in arguments {
        command.arg(*argument);
    }
    connection.req_command(&command)?.extract_error()
}

//! Sentinels: they say which server is the master.
//!
//! Must not know: what the master is asked.

mod panel;

use std::{
    collections::HashSet,
    sync::{Arc, atomic::AtomicU64},
};

use ::redis::{FromRedisValue as _, Value};
use tokio::task::JoinSet;

use super::{
    agreement::Agreement,
    connect::{Connection, OnPush},
    failure::Failure,
    servers::{Access, Server, Watched},
};

pub(in super::super) use panel::Panel;

/// The Sentinels of a master.
#[derive(Clone, Debug)]
pub(in super::super) struct Sentinels(Watched);

impl Sentinels {
    pub(in super::super) fn new(watched: &Watched) -> Self {
        Self(watched.clone())
    }

    /// Connects to the master. A Sentinel may be wrong or out of reach, so all are asked, and whoever is named has to say of
    /// itself that it is a master. Whoever is not the one that most of them agree on is tried last.
    pub(in super::super) async fn open_master(
        &self,
        on_push: impl Fn() -> Option<OnPush>,
    ) -> Result<Connection, Failure> {
        let mut answers = self.ask_all();
        let mut named = HashSet::new();
        let mut doubted = Vec::new();
        let mut failure = Failure::Refused("no Sentinel answers".into());
        loop {
            let answer = answers.join_next().await;
            let server = match answer.map(|answer| answer.unwrap_or(Err(Failure::Disconnected))) {
                Some(Ok(server)) if !named.insert((server.host.clone(), server.port)) => continue,
                Some(Ok(server)) if self.agreement().is_on_another(&server.host, server.port) => {
                    doubted.push(server);
                    continue;
                }
                Some(Ok(server)) => server,
                Some(Err(error)) => {
                    failure = error;
                    continue;
                }
                None => match doubted.pop() {
                    Some(server) => server,
                    None => return Err(failure),
                },
            };
            match open_if_master(&server, on_push()).await {
                Ok(connection) => return Ok(connection),
                Err(error) => failure = error,
            }
        }
    }

    fn agreement(&self) -> &Agreement {
        &self.0.agreement
    }

    /// To ask them again and again.
    pub(in super::super) fn panel(&self) -> Panel {
        Panel::new(self.clone())
    }

    /// Whether they have agreed on another master, since so many agreements were heard of. Costs next to nothing while there is none.
    #[inline]
    pub(super) fn have_left(&self, server: &Server, heard: &AtomicU64) -> bool {
        self.agreement()
            .is_newly_on_another(&server.host, server.port, heard)
    }

    /// What was agreed on is not to be relied on: whoever asked does so no more.
    pub(in super::super) fn forget_agreement(&self) {
        self.agreement().forget();
    }

    fn ask_all(&self) -> JoinSet<Result<Server, Failure>> {
        let question = |sentinel: &Server| {
            let (sentinel, master) = (sentinel.clone(), Arc::clone(&self.0.master));
            async move {
                let connection = open_sentinel(&sentinel).await?;
                ask(&connection, &sentinel, &master).await
            }
        };
        self.0.sentinels.iter().map(question).collect()
    }
}

/// Asks one Sentinel for the master.
async fn ask(connection: &Connection, sentinel: &Server, master: &str) -> Result<Server, Failure> {
    let mut question = ::redis::cmd("SENTINEL");
    question.arg("get-master-addr-by-name").arg(master);
    match connection.request(&question).await? {
        Value::Nil => Err(Failure::other(format!(
            "the Sentinel {sentinel} knows no master by the name {master:?}"
        ))),
        address => <(String, u16)>::from_redis_value(address)
            .map(|(host, port)| sentinel.at(&host, port))
            .map_err(|error| Failure::Protocol(error.to_string().into())),
    }
}

/// Sentinels have no databases, and rarely a password.
async fn open_sentinel(sentinel: &Server) -> Result<Connection, Failure> {
    let as_told = Server {
        access: Access {
            database: 0,
            ..Access::clone(&sentinel.access)
        }
        .into(),
        ..sentinel.clone()
    };
    match Connection::open(&as_told, None).await {
        Err(Failure::Unauthenticated(_)) if as_told.access.password.is_some() => {
            let without_password = Server {
                access: Access {
                    user: None,
                    password: None,
                    ..Access::clone(&as_told.access)
                }
                .into(),
                ..as_told
            };
            Connection::open(&without_password, None).await
        }
        other => other,
    }
}

async fn open_if_master(server: &Server, on_push: Option<OnPush>) -> Result<Connection, Failure> {
    let connection = Connection::open(server, on_push).await?;
    match connection.request(&::redis::cmd("ROLE")).await {
        Ok(Value::Array(role)) if !role.first().is_some_and(is_master) => Err(Failure::ReadOnly),
        // A user without the permission to ask has to believe it.
        Ok(_) | Err(Failure::NotPermitted(_)) => Ok(connection),
        Err(failure) => Err(failure),
    }
}

fn is_master(role: &Value) -> bool {
    matches!(role, Value::BulkString(role) if role == b"master")
}

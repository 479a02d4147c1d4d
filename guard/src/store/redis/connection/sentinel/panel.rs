//! Asks the Sentinels again and again which server is the master.
//!
//! Must not know: who connects to the master.

use std::{sync::Arc, time::Duration};

use tokio::{task::JoinSet, time::timeout};

use super::{
    super::{connect::Connection, failure::Failure, servers::Server},
    Sentinels, ask, open_sentinel,
};

/// A connection to each Sentinel, kept from question to question.
pub(in super::super::super) struct Panel {
    sentinels: Sentinels,
    connections: Vec<Option<Connection>>,
}

impl Panel {
    pub(super) fn new(sentinels: Sentinels) -> Self {
        let connections = sentinels.0.sentinels.iter().map(|_| None).collect();
        Self {
            sentinels,
            connections,
        }
    }

    /// Whether the Sentinels have a master, and it is another server than this one. Those who don't answer in time have no say.
    pub(in super::super::super) async fn have_replaced(
        &mut self,
        server: &Server,
        patience: Duration,
    ) -> bool {
        let Some(master) = majority(self.ask(patience).await) else {
            return false;
        };
        self.sentinels.agreement().reach(&master.host, master.port);
        !master.is_at(&server.host, server.port)
    }

    async fn ask(&mut self, patience: Duration) -> Vec<Server> {
        let mut questions = JoinSet::new();
        for (number, sentinel) in self.sentinels.0.sentinels.iter().enumerate() {
            let kept = self.connections.get_mut(number).and_then(Option::take);
            let question = ask_over(kept, sentinel.clone(), Arc::clone(&self.sentinels.0.master));
            questions.spawn(async move { (number, timeout(patience, question).await) });
        }
        let mut named = Vec::new();
        while let Some(answer) = questions.join_next().await {
            if let Ok((number, Ok(Ok((connection, master))))) = answer {
                named.push(master);
                if let Some(kept) = self.connections.get_mut(number) {
                    *kept = Some(connection);
                }
            }
        }
        named
    }
}

/// Asks a Sentinel over a connection that is there, or a new one.
async fn ask_over(
    kept: Option<Connection>,
    sentinel: Server,
    master: Arc<str>,
) -> Result<(Connection, Server), Failure> {
    let connection = match kept {
        Some(connection) => connection,
        None => open_sentinel(&sentinel).await?,
    };
    let master = ask(&connection, &sentinel, &master).await?;
    Ok((connection, master))
}

/// The server that more than half of the answers name.
fn majority(answers: Vec<Server>) -> Option<Server> {
    let votes = |server: &Server| {
        let same = answers.iter();
        same.filter(|other| other.is_at(&server.host, server.port))
            .count()
    };
    let half = answers.len() / 2;
    let winner = answers.iter().position(|server| votes(server) > half)?;
    answers.into_iter().nth(winner)
}

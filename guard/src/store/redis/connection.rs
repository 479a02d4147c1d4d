//! The way to Redis: connections that are made when they are needed, calls that never wait longer than they may.
//!
//! Each worker thread has connections of its own, driven by its own runtime. A call that finds none waits for one; while
//! the server was found to be out of reach just now, it fails at once.
//! Must not know: what the scripts do, which keys there are, what is done about a failure.

mod agreement;
pub(super) mod backoff;
mod cluster;
mod connect;
mod deadline;
mod driver;
mod failure;
mod link;
mod reply;
mod script;
mod sentinel;
mod servers;
mod tls;
mod worker;

#[cfg(test)]
mod tests;

use std::{
    cell::RefCell,
    future::Future,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use ::redis::{Cmd, Value};
use tokio::runtime::{Handle, Id};

pub(crate) use failure::Failure;
pub(crate) use script::Script;
pub(crate) use servers::Servers;
pub(crate) use worker::Master;

pub(super) use cluster::{Node, SLOTS, Topology, slot_of};
pub(super) use connect::{Connection, OnPush};
pub(super) use script::first_key;
pub(super) use sentinel::{Panel, Sentinels};
pub(super) use servers::{Arrangement, Server};

use worker::Worker;

/// The connections to the servers of one configuration, shared by all workers.
#[derive(Clone)]
pub(crate) struct Connections {
    shared: Arc<Shared>,
}

struct Shared {
    servers: Arc<Servers>,
    workers: Mutex<Vec<Weak<Worker>>>,
}

thread_local! {
    /// The workers of this thread. Those of a runtime that has gone, or of connections that have, are taken out when the next
    /// one is put in.
    static WORKERS: RefCell<Vec<Local>> = const { RefCell::new(Vec::new()) };
}

struct Local {
    shared: Weak<Shared>,
    runtime: Id,
    worker: Arc<Worker>,
}

impl Connections {
    /// Connects to nobody yet.
    pub(crate) fn new(servers: Arc<Servers>) -> Self {
        Self {
            shared: Arc::new(Shared {
                servers,
                workers: Mutex::new(Vec::new()),
            }),
        }
    }

    /// Calls a script. A server that doesn't know it is sent its text. All keys have to be in the same slot of a Cluster.
    ///
    /// The future has to be polled in a Tokio runtime with I/O and time, as actix-web's are.
    pub(crate) fn eval(
        &self,
        script: &Arc<Script>,
        keys: &[&[u8]],
        arguments: &[&[u8]],
    ) -> impl Future<Output = Result<Value, Failure>> + Send + use<> {
        let shared = Arc::clone(&self.shared);
        let script = Arc::clone(script);
        let command = script.by_hash(keys, arguments);
        async move { shared.worker()?.eval(&script, &command).await }
    }

    /// Makes a call of a script that was [begun](Script::begin).
    pub(crate) async fn call(&self, script: &Script, by_hash: &Cmd) -> Result<Value, Failure> {
        self.shared.worker()?.eval(script, by_hash).await
    }

    /// Sends a command whose first argument is a key.
    pub(crate) fn command(
        &self,
        command: Cmd,
    ) -> impl Future<Output = Result<Value, Failure>> + Send + use<> {
        let shared = Arc::clone(&self.shared);
        async move { shared.worker()?.command(&command).await }
    }

    /// All masters, for commands that concern them all.
    pub(crate) fn masters(
        &self,
    ) -> impl Future<Output = Result<Vec<Master>, Failure>> + Send + use<> {
        let shared = Arc::clone(&self.shared);
        async move { shared.worker()?.masters().await }
    }

    /// Sends a command to one master.
    pub(crate) fn command_on(
        &self,
        master: &Master,
        command: Cmd,
    ) -> impl Future<Output = Result<Value, Failure>> + Send + use<> {
        let shared = Arc::clone(&self.shared);
        let master = master.clone();
        async move { shared.worker()?.command_on(&master, &command).await }
    }

    /// Somebody has found the servers: no thread puts off its next attempt to connect any more.
    pub(crate) fn try_again(&self) {
        let workers = self.shared.workers();
        for worker in workers.iter().filter_map(Weak::upgrade) {
            worker.try_again();
        }
    }
}

impl Shared {
    /// The worker of the current thread and runtime.
    fn worker(self: &Arc<Self>) -> Result<Arc<Worker>, Failure> {
        let runtime = Handle::try_current()
            .map_err(|_| Failure::other("not called in a Tokio runtime"))?
            .id();
        let local = WORKERS.try_with(|workers| {
            let mut workers = workers.borrow_mut();
            let known = workers.iter().find(|local| local.is_of(self, runtime));
            if let Some(known) = known {
                return Arc::clone(&known.worker);
            }
            workers.retain(Local::is_alive);
            let worker = self.new_worker();
            workers.push(Local {
                shared: Arc::downgrade(self),
                runtime,
                worker: Arc::clone(&worker),
            });
            worker
        });
        // The thread is ending: what is called now is the last thing it does.
        Ok(local.unwrap_or_else(|_| self.new_worker()))
    }

    fn new_worker(&self) -> Arc<Worker> {
        let worker = Worker::new(&self.servers);
        let mut workers = self.workers();
        workers.retain(|worker| worker.strong_count() > 0);
        workers.push(Arc::downgrade(&worker));
        worker
    }

    fn workers(&self) -> MutexGuard<'_, Vec<Weak<Worker>>> {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The threads notice only when they make new connections.
impl Drop for Shared {
    fn drop(&mut self) {
        for worker in self.workers().drain(..) {
            if let Some(worker) = worker.upgrade() {
                worker.close();
            }
        }
    }
}

impl Local {
    /// A runtime may get the number of one that has gone.
    fn is_of(&self, shared: &Arc<Shared>, runtime: Id) -> bool {
        self.runtime == runtime
            && std::ptr::eq(self.shared.as_ptr(), Arc::as_ptr(shared))
            && !self.worker.is_over()
    }

    fn is_alive(&self) -> bool {
        self.shared.strong_count() > 0 && !self.worker.is_over()
    }
}

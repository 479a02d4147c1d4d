//! A DNS server on loopback, over UDP and TCP, for tests.

use std::{
    collections::{BTreeSet, HashMap},
    io::{Read, Write},
    net::{IpAddr, SocketAddr, TcpListener, TcpStream, UdpSocket},
    str::FromStr,
    sync::{Arc, Condvar, Mutex, MutexGuard},
    thread,
    time::Duration,
};

use hickory_resolver::proto::{
    op::{Message, OpCode, ResponseCode},
    rr::{
        Name, RData, Record, RecordType,
        rdata::{CNAME, PTR},
    },
};

/// How the server behaves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    Answers,
    /// Over UDP there is only room to say that there is more over TCP.
    AnswersOverTcp,
    /// Keeps its answers until it is told to answer.
    Holds,
    ServerFailure,
    Silent,
}

/// It answers with the records that it was given, and that there are none.
pub(super) struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    udp: UdpSocket,
    state: Mutex<State>,
    asked: Condvar,
}

struct State {
    manner: Manner,
    records: HashMap<(Name, RecordType), Vec<Record>>,
    questions: Vec<(Name, RecordType)>,
    held: Vec<(Message, SocketAddr)>,
    is_stopped: bool,
}

impl Server {
    pub(super) fn start() -> Self {
        let (udp, tcp) = loop {
            let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
            if let Ok(tcp) = TcpListener::bind(udp.local_addr().unwrap()) {
                break (udp, tcp);
            }
        };
        let shared = Arc::new(Shared {
            udp,
            state: Mutex::new(State {
                manner: Manner::Answers,
                records: HashMap::new(),
                questions: Vec::new(),
                held: Vec::new(),
                is_stopped: false,
            }),
            asked: Condvar::new(),
        });
        let address = tcp.local_addr().unwrap();
        let (for_udp, for_tcp) = (Arc::clone(&shared), Arc::clone(&shared));
        thread::spawn(move || for_udp.serve_udp());
        thread::spawn(move || for_tcp.serve_tcp(&tcp));
        Self { address, shared }
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address is said to have the name.
    pub(super) fn point(&self, address: &str, name: &str, ttl: u32) {
        self.add(Name::from(ip(address)), ttl, RData::PTR(PTR(fqdn(name))));
    }

    /// The name has the address.
    pub(super) fn resolve(&self, name: &str, address: &str, ttl: u32) {
        self.add(fqdn(name), ttl, RData::from(ip(address)));
    }

    /// The name that is asked for the name of the address is another one, as where less than 256 addresses are delegated: RFC 2317.
    pub(super) fn delegate(&self, address: &str, name: &str, pointer: &str, ttl: u32) {
        let reverse = Name::from(ip(address));
        let records = vec![
            Record::from_rdata(reverse.clone(), ttl, RData::CNAME(CNAME(fqdn(name)))),
            Record::from_rdata(fqdn(name), 86_400, RData::PTR(PTR(fqdn(pointer)))),
        ];
        let key = (reverse, RecordType::PTR);
        self.shared.state().records.insert(key, records);
    }

    fn add(&self, name: Name, ttl: u32, data: RData) {
        let key = (name.clone(), data.record_type());
        let record = Record::from_rdata(name, ttl, data);
        let mut state = self.shared.state();
        state.records.entry(key).or_default().push(record);
    }

    pub(super) fn forget_all(&self) {
        self.shared.state().records.clear();
    }

    /// From now on. What was held is answered, unless it goes on being held.
    pub(super) fn behave(&self, manner: Manner) {
        let mut state = self.shared.state();
        state.manner = manner;
        if manner != Manner::Holds {
            for (question, peer) in std::mem::take(&mut state.held) {
                self.shared.answer_udp(&state, &question, peer);
            }
        }
    }

    /// How often it was asked for records of the name, over UDP and TCP.
    pub(super) fn asked_for(&self, name: &str, kind: RecordType) -> usize {
        let name = fqdn(name);
        let state = self.shared.state();
        let questions = state.questions.iter();
        questions
            .filter(|(asked, of)| *asked == name && *of == kind)
            .count()
    }

    /// How often it was asked for names of the address.
    pub(super) fn asked_about(&self, address: &str) -> usize {
        self.asked_for(&Name::from(ip(address)).to_ascii(), RecordType::PTR)
    }

    /// How often it was asked.
    pub(super) fn questions(&self) -> usize {
        self.shared.state().questions.len()
    }

    /// The different names that it was asked for.
    pub(super) fn names(&self) -> BTreeSet<Name> {
        let state = self.shared.state();
        state
            .questions
            .iter()
            .map(|(name, _)| name.clone())
            .collect()
    }

    /// Waits until it was asked so often.
    pub(super) fn wait_for_questions(&self, count: usize) {
        let patience = Duration::from_secs(30);
        let (_state, waited) = self
            .shared
            .asked
            .wait_timeout_while(self.shared.state(), patience, |state| {
                state.questions.len() < count
            })
            .unwrap();
        assert!(!waited.timed_out(), "fewer than {count} questions");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.state().is_stopped = true;
        // Each thread looks when something comes.
        self.shared.udp.send_to(&[], self.address).ok();
        TcpStream::connect(self.address).ok();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    fn serve_udp(&self) {
        let mut buffer = [0; 4096];
        while let Ok((length, peer)) = self.udp.recv_from(&mut buffer) {
            if self.state().is_stopped {
                return;
            }
            let question = Message::from_vec(&buffer[..length]).unwrap();
            let mut state = self.note(&question);
            if state.manner == Manner::Holds {
                state.held.push((question, peer));
            } else {
                self.answer_udp(&state, &question, peer);
            }
        }
    }

    fn answer_udp(&self, state: &State, question: &Message, peer: SocketAddr) {
        let answer = match state.manner {
            Manner::AnswersOverTcp => truncated(question),
            _ => state.answer(question),
        };
        if state.manner != Manner::Silent {
            self.udp.send_to(&answer.to_vec().unwrap(), peer).ok();
        }
    }

    fn serve_tcp(&self, listener: &TcpListener) {
        for stream in listener.incoming() {
            if self.state().is_stopped {
                return;
            }
            self.serve_connection(stream.unwrap()).ok();
        }
    }

    fn serve_connection(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let mut length = [0; 2];
        stream.read_exact(&mut length)?;
        let mut question = vec![0; usize::from(u16::from_be_bytes(length))];
        stream.read_exact(&mut question)?;
        let question = Message::from_vec(&question).unwrap();
        let answer = self.note(&question).answer(&question).to_vec().unwrap();
        let length = u16::try_from(answer.len()).unwrap();
        stream.write_all(&[&length.to_be_bytes(), answer.as_slice()].concat())
    }

    fn note(&self, question: &Message) -> MutexGuard<'_, State> {
        let mut state = self.state();
        let query = &question.queries[0];
        state
            .questions
            .push((query.name().clone(), query.query_type()));
        self.asked.notify_all();
        state
    }
}

impl State {
    fn answer(&self, question: &Message) -> Message {
        let mut answer = response(question);
        if self.manner == Manner::ServerFailure {
            answer.metadata.response_code = ResponseCode::ServFail;
            return answer;
        }
        let query = &question.queries[0];
        match self
            .records
            .get(&(query.name().clone(), query.query_type()))
        {
            Some(records) => answer.answers.clone_from(records),
            None => answer.metadata.response_code = ResponseCode::NXDomain,
        }
        answer
    }
}

fn truncated(question: &Message) -> Message {
    let mut answer = response(question);
    answer.metadata.truncation = true;
    answer
}

fn response(question: &Message) -> Message {
    let mut answer = Message::response(question.metadata.id, OpCode::Query);
    answer.metadata.recursion_desired = true;
    answer.metadata.recursion_available = true;
    answer.add_query(question.queries[0].clone());
    answer
}

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn fqdn(text: &str) -> Name {
    let mut name = Name::from_str(text).unwrap();
    name.set_fqdn(true);
    name
}

//! How many requests clients send in a window, whatever became of them.
//!
//! Two questions: how many in each window of the clock in which a client sent any, and how many in the busiest window of each
//! client, wherever it lies. The second is what a limit runs into; it is counted in [`STEPS`] steps a window, so that it may be one step too
//! long, and never too short.
//!
//! Must not know: decisions.

use std::{collections::HashMap, net::IpAddr, time::SystemTime};

use foldhash::fast::RandomState;
use hdrhistogram::Histogram;

const STEPS: u64 = 30;
/// The steps that a window touches, wherever it begins.
const SLOTS: usize = STEPS as usize + 1;
/// Exact below 2048, and to three digits above.
const DIGITS: u8 = 3;
const FIRST_CAPACITY: usize = 1024;

/// See the module's documentation.
pub(crate) struct Traffic {
    window_millis: u64,
    step_millis: u64,
    most_clients: usize,
    clients: HashMap<IpAddr, Activity, RandomState>,
    in_windows: Distribution,
    busiest: Distribution,
    /// Clients that were let go of before the end: those that came back count again.
    overflowed: bool,
}

/// What one client does.
struct Activity {
    slots: [u16; SLOTS],
    step: u64,
    sum: u64,
    busiest: u64,
    window: u64,
    in_window: u64,
}

/// How often each number came up.
#[derive(Clone, Debug)]
pub(crate) struct Distribution(Option<Histogram<u64>>);

impl Traffic {
    pub(crate) fn new(window_seconds: u64, most_clients: usize) -> Self {
        let window_millis = window_seconds.max(1).saturating_mul(1000);
        Self {
            window_millis,
            step_millis: window_millis.div_ceil(STEPS),
            most_clients: most_clients.max(1),
            clients: HashMap::with_capacity_and_hasher(FIRST_CAPACITY, RandomState::default()),
            in_windows: Distribution::new(),
            busiest: Distribution::new(),
            overflowed: false,
        }
    }

    pub(crate) fn add(&mut self, client: IpAddr, at: SystemTime) {
        let millis = at
            .duration_since(SystemTime::UNIX_EPOCH)
            .map_or(0, |at| at.as_millis() as u64);
        let (step, window) = (millis / self.step_millis, millis / self.window_millis);
        if self.clients.len() >= self.most_clients && !self.clients.contains_key(&client) {
            self.make_room(step);
        }
        let activity = self
            .clients
            .entry(client)
            .or_insert_with(|| Activity::new(step, window));
        if let Some(ended) = activity.add(step, window) {
            self.in_windows.record(ended);
        }
    }

    /// Lets go of clients that have been quiet for a window, and of all if that is not enough.
    fn make_room(&mut self, now: u64) {
        self.overflowed = true;
        let before = self.clients.len();
        self.let_go(|activity| activity.step + STEPS < now);
        if self.clients.len() > before / 2 {
            self.let_go(|_| true);
        }
    }

    fn let_go(&mut self, goes: impl Fn(&Activity) -> bool) {
        let (in_windows, busiest) = (&mut self.in_windows, &mut self.busiest);
        self.clients.retain(|_, activity| {
            let goes = goes(activity);
            if goes {
                in_windows.record(activity.in_window);
                busiest.record(activity.busiest);
            }
            !goes
        });
    }

    /// Requests in windows of the clock, requests in the busiest window of each client, and whether each client is in the latter once.
    pub(crate) fn end(mut self) -> (Distribution, Distribution, bool) {
        self.let_go(|_| true);
        (self.in_windows, self.busiest, !self.overflowed)
    }
}

impl Activity {
    fn new(step: u64, window: u64) -> Self {
        Self {
            slots: [0; SLOTS],
            step,
            sum: 0,
            busiest: 0,
            window,
            in_window: 0,
        }
    }

    /// One more request. What there was in the window of the clock before, if another one has begun.
    fn add(&mut self, step: u64, window: u64) -> Option<u64> {
        self.move_to(step);
        if let Some(slot) = self.slots.get_mut((self.step % SLOTS as u64) as usize)
            && let Some(more) = slot.checked_add(1)
        {
            *slot = more;
            self.sum += 1;
        }
        self.busiest = self.busiest.max(self.sum);
        let ended = (window > self.window).then_some(self.in_window);
        if ended.is_some() {
            self.window = window;
            self.in_window = 0;
        }
        self.in_window += 1;
        ended
    }

    /// A step before the last one counts as that.
    fn move_to(&mut self, step: u64) {
        let ahead = step.saturating_sub(self.step);
        if ahead >= SLOTS as u64 {
            self.slots = [0; SLOTS];
            self.sum = 0;
        } else {
            for passed in self.step + 1..=self.step + ahead {
                if let Some(slot) = self.slots.get_mut((passed % SLOTS as u64) as usize) {
                    self.sum -= u64::from(*slot);
                    *slot = 0;
                }
            }
        }
        self.step = self.step.max(step);
    }
}

impl Distribution {
    fn new() -> Self {
        Self(Histogram::new(DIGITS).ok())
    }

    fn record(&mut self, value: u64) {
        if let Some(histogram) = &mut self.0 {
            histogram.saturating_record(value);
        }
    }

    pub(crate) fn count(&self) -> u64 {
        self.0.as_ref().map_or(0, Histogram::len)
    }

    /// The smallest number that is not exceeded in this share of cases.
    pub(crate) fn at(&self, share: f64) -> u64 {
        let histogram = self.0.as_ref();
        histogram.map_or(0, |histogram| histogram.value_at_quantile(share))
    }

    pub(crate) fn max(&self) -> u64 {
        self.0.as_ref().map_or(0, Histogram::max)
    }

    /// Cases in which a number is exceeded.
    pub(crate) fn above(&self, value: u64) -> u64 {
        self.0.as_ref().map_or(0, |histogram| {
            histogram
                .iter_recorded()
                .filter(|step| step.value_iterated_to() > value)
                .map(|step| step.count_at_value())
                .sum()
        })
    }

    /// Cases by powers of two: up to 1, 2, 4 and so on.
    pub(crate) fn by_powers(&self) -> Vec<(u64, u64)> {
        let mut powers: Vec<(u64, u64)> = Vec::new();
        for step in self.0.iter().flat_map(Histogram::iter_recorded) {
            let power = step.value_iterated_to().next_power_of_two();
            while powers.last().is_none_or(|(last, _)| *last < power) {
                let next = powers.last().map_or(1, |(last, _)| last * 2);
                powers.push((next, 0));
            }
            if let Some((_, count)) = powers.last_mut() {
                *count += step.count_at_value();
            }
        }
        powers
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn client(number: u32) -> IpAddr {
        IpAddr::from(number.to_be_bytes())
    }

    fn at(seconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(60_000 + seconds)
    }

    #[test]
    fn the_busiest_window_lies_anywhere() {
        let mut traffic = Traffic::new(60, 100);
        // Five around the end of a minute, and two much later.
        for second in [50, 55, 59, 61, 65, 1000, 1001] {
            traffic.add(client(1), at(second));
        }
        let (in_windows, busiest, complete) = traffic.end();
        assert_eq!((busiest.max(), busiest.count(), complete), (5, 1, true));
        assert_eq!((in_windows.max(), in_windows.count()), (3, 3));
    }

    #[test]
    fn requests_that_are_further_apart_than_a_window_and_a_step_are_not_in_one() {
        let mut traffic = Traffic::new(60, 100);
        for second in [0, 63, 126, 189] {
            traffic.add(client(1), at(second));
        }
        assert_eq!(traffic.end().1.max(), 1);
    }

    #[test]
    fn the_shares_are_those_of_clients() {
        let mut traffic = Traffic::new(60, 10_000);
        for number in 1..=1000 {
            for _ in 0..number {
                traffic.add(client(number), at(0));
            }
        }
        let (_, busiest, _) = traffic.end();
        assert_eq!(
            [0.5, 0.9, 0.999].map(|share| busiest.at(share)),
            [500, 900, 999]
        );
        assert_eq!(
            [busiest.above(999), busiest.above(1000), busiest.above(0)],
            [1, 0, 1000]
        );
        let powers = busiest.by_powers();
        assert_eq!(powers[..4], [(1, 1), (2, 1), (4, 2), (8, 4)]);
        assert_eq!(powers.iter().map(|(_, count)| count).sum::<u64>(), 1000);
    }

    #[test]
    fn no_more_clients_are_kept_than_allowed() {
        let mut traffic = Traffic::new(60, 100);
        for number in 0..10_000 {
            traffic.add(client(number), at(0));
            assert!(traffic.clients.len() <= 100);
        }
        let (_, busiest, complete) = traffic.end();
        assert_eq!((busiest.count(), complete), (10_000, false));
    }
}

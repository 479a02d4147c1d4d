use super::{RULES, inspect, rules};

/// What falls under each rule.
const INJECTIONS: &[(&str, &str)] = &[
    (rules::BOOLEAN, "7 or 3=3"),
    (rules::BOOLEAN, "guest' or 'k'='k"),
    (rules::BOOLEAN, ") or (4=4"),
    (rules::BOOLEAN, "7 having 2=2"),
    (rules::TIME_DELAY, "if(now()=sysdate(),sleep(9),0)"),
    (rules::BOOLEAN, "guest') or ('k'='k"),
    (rules::BOOLEAN, "\" or \"\"=\""),
    (rules::BOOLEAN, "7 && 9>2"),
    (rules::BOOLEAN, "or 5=5"),
    (rules::BOOLEAN, " and 'k'='k"),
    (rules::BOOLEAN, "or 'k' = 'k'"),
    (rules::BOOLEAN, " or 7 > 4 -- -"),
    (rules::BOOLEAN, "or k=k#"),
    (rules::BOOLEAN, "and 4=4 and '%'='"),
    (rules::BOOLEAN, "and 4=4 and (5=5"),
    (rules::BOOLEAN, "having 5=5--"),
    (rules::BOOLEAN, "no such guest' having 7=7 and 'k' like 'k"),
    (rules::BOOLEAN, "7 or name = 'root'"),
    (rules::BOOLEAN, "7 or email is not null"),
    (rules::BOOLEAN, "no such guest' or id > 0 -- "),
    (rules::BOOLEAN, "7)) or ((4)=(4"),
    (rules::BOOLEAN, "7/**/or/**/2=2"),
    (rules::BOOLEAN, "7\x0bor\x0c2=2"),
    (rules::BOOLEAN, "\\' or 5=5#"),
    (
        rules::BOOLEAN,
        "guest' or '{\"k\":4}'::jsonb <@ '{\"k\":4,\"l\":5}'::jsonb--",
    ),
    (rules::BOOLEAN, "guest' or room @> '{\"k\":4}' --"),
    (rules::BOOLEAN, "guest' or '{\"k\":4}'->>'k'='4' --"),
    (
        rules::CASE_EXPRESSION,
        "case 4 when 4 then 'a' else 'b' end",
    ),
    (rules::CLAUSE_BREAKOUT, "7) from guests where room='"),
    (rules::COMMENT_AFTER_QUOTE, "root'--"),
    (rules::COMMENT_AFTER_QUOTE, "root') -- -"),
    (rules::COMMENT_AFTER_QUOTE, "root'/*"),
    (rules::COMMENT_OBFUSCATION, "7#x\nunion#y\n"),
    (
        rules::COMMENT_OBFUSCATION,
        "select /*!40001 1, */ 2 from rooms",
    ),
    (rules::COMMENT_TERMINATED, "((select 'k' * 2)) --"),
    (rules::COMMENT_TERMINATED, "(binary @k) --"),
    (
        rules::DANGEROUS_FUNCTION,
        "7 and extractvalue(1,concat(0x7e,version()))",
    ),
    (rules::DANGEROUS_FUNCTION, "length(load_file('/etc/hosts'))"),
    (rules::ENVIRONMENT_PROBE, "substring(@@version,1,1)"),
    (rules::FILE_ACCESS, "7 into outfile '/tmp/x'"),
    (rules::FUNCTION_CALL, "7 or rpad(guest,3,0)"),
    (rules::ORDER_BY_PROBE, "guest' order by 12-- -"),
    (rules::ORDER_BY_PROBE, "7) order by 3"),
    (rules::ORDER_BY_PROBE, "order by 7-- -"),
    (rules::PROCEDURE_ANALYSE, "7 procedure analyse(1,1)"),
    (rules::PROCEDURE_CALL, "exec sp_start_job @job = 'x'"),
    (
        rules::PROCEDURE_CALL,
        "declare @q varchar(99); set @q = cast(0x73686f77 as varchar(99)); exec(@q)",
    ),
    (rules::QUOTE_EXPRESSION, "k' * id - '0"),
    (rules::QUOTE_EXPRESSION, "k' like 'k"),
    (rules::SELECT_PROBE, "(select count(*) from guests, rooms)"),
    (rules::SELECT_PROBE, "select tan(1),2 from rooms"),
    (
        rules::SELECT_PROBE,
        "(select (case when (4=4) then k else 4/0 end))",
    ),
    (rules::STACKED_STATEMENT, "7; drop table guests"),
    (
        rules::STACKED_STATEMENT,
        "guest'; delete from rooms where 1=1--",
    ),
    (
        rules::STACKED_STATEMENT,
        "guest'; update guests set admin=1;--",
    ),
    (
        rules::STACKED_STATEMENT,
        "guest' exec master..xp_dirtree 'c:'--",
    ),
    (rules::STACKED_STATEMENT, "7; insert into guests values (1)"),
    (
        rules::STACKED_STATEMENT,
        "' insert into mysql.user (user) values ('k')--",
    ),
    (rules::STACKED_STATEMENT, "'exec sp_addlogin 'k','l'--"),
    (rules::STACKED_STATEMENT, "7; shutdown"),
    (rules::STACKED_STATEMENT, "guest'; shutdown with nowait--"),
    (
        rules::STACKED_STATEMENT,
        "guest'; copy rooms from program 'id'--",
    ),
    (rules::STACKED_STATEMENT, "7; copy (select 'k') to '/tmp/x'"),
    (
        rules::STACKED_STATEMENT,
        "7;attach database '/tmp/x.php' as k;",
    ),
    (rules::STACKED_STATEMENT, ";drop table guests;--"),
    (rules::STACKED_STATEMENT, "));delete from guests where 4=4"),
    (rules::STACKED_STATEMENT, "; exec master..xp_dirtree 'c:'--"),
    (rules::STACKED_STATEMENT, ";select version(),2"),
    (
        rules::STACKED_STATEMENT,
        "7;(select * from (select(sleep(9)))k)#",
    ),
    (
        rules::STACKED_STATEMENT,
        "7;create or replace function k(int) returns int as 'x','y'",
    ),
    (
        rules::STACKED_STATEMENT,
        "7;begin dbms_session.sleep(9); end",
    ),
    (rules::SUBSELECT, "7 and (select 1 from guests limit 1)"),
    (
        rules::SUBSELECT,
        "guest'||(select password from guests limit 1)||'",
    ),
    (
        rules::SUBSELECT,
        "name,(select case when 2=2 then 1 else 0 end)",
    ),
    (rules::TIME_DELAY, "7 and sleep(9)"),
    (rules::TIME_DELAY, "7 or !sleep 4.e(9 4.e)#"),
    (rules::TIME_DELAY, "7 and k/**/(sleep/**/(9))"),
    (rules::TIME_DELAY, ";waitfor delay '0:0:9'--"),
    (rules::TIME_DELAY, ")) ; waitfor delay '0:0:9'"),
    (rules::TIME_DELAY, "sleep(9)#k"),
    (rules::TIME_DELAY, "benchmark(9000000,md5(4))-- -"),
    (rules::TIME_DELAY, "room desc,if(4=4,sleep(9),0)"),
    (rules::TIME_DELAY, "guest'; waitfor delay '0:0:9'--"),
    (rules::TIME_DELAY, "guest' waitfor delay '0:0:9'--"),
    (
        rules::UNION_SELECT,
        "7 union select name, password from guests",
    ),
    (rules::UNION_SELECT, "-7 UNION/**/ALL/**/SELECT null,null--"),
    (
        rules::UNION_SELECT,
        "no such guest' union all select 1,2,3#",
    ),
    (rules::SUBSELECT, "guest' select'k','l'--"),
    (rules::UNION_SELECT, "7'union select 4'"),
    (rules::UNION_SELECT, "7 union values row(4,5)"),
    (
        rules::UNION_SELECT,
        "guest' union select session_user(),null-- -",
    ),
    (rules::UNION_SELECT, "guest' union all values ('k',null)--"),
    (rules::UNION_SELECT, "guest' union table rooms-- "),
    (rules::UNION_SELECT, "7 union values (char(75),null)#"),
    (rules::UNION_SELECT, "7/*!50000union*//*!50000select*/1,2"),
    (rules::UNION_SELECT, "7) union (select (name) from rooms"),
    (rules::UNION_SELECT, "1e1union select.5,2"),
];

/// What looks a little like it. Most of it is what people write; the rest is SQL of people who write about SQL.
const ORDINARY: &[&str] = &[
    // Names and apostrophes.
    "O'Neill",
    "D'Angelo & Sons",
    "Anne-Marie O''Neil",
    "N'Golo",
    "L'Hôpital or d'Alembert",
    "Xi'an",
    "ka'bah",
    "James' and Mary's house",
    "boys' & girls' shoes",
    "boys' and girls = love",
    "Toys 'R' Us",
    "Guns N' Roses",
    "rock 'n' roll -- live",
    "the '90s or the '80s",
    "aujourd'hui ou hier",
    "d'or et d'argent",
    "Союз' и 'Мир",
    "孫's 店 or 李's",
    "users' -- all of them",
    "the kids' -",
    "it's 5 o'clock",
    "Dunkin' - 24",
    "Levi's 501 - size 32",
    // Measures, prices, times, ranges, phone numbers, arithmetic.
    "5'11\"",
    "5'11\" or 6'",
    "6' - 8'",
    "5' / 6'",
    "16\" or 18\"",
    "3/4\" - 1/2\"",
    "24\" and height > 36",
    "5' or h > 6",
    "60\" TV",
    "55\" #1 seller",
    "$5 - $10",
    "10 - 20",
    "9:00-17:00",
    "(086)-8433532",
    "+1 (555) 010-0199",
    "1 + 1 = 2",
    "1 + 1 = 2 and 2 + 2 = 4",
    "2 and 3 is 5",
    "1 or 2",
    "1950 or 1960",
    "1 in 5 or 2 in 10",
    "50% off",
    // Sentences with words of SQL.
    "Please select one from the list",
    "select the best option from the list",
    "Select 1, 2 or 3 items",
    "(Select 2 from menu)",
    "Credit union (select 1)",
    "teachers union select delegates from schools",
    "union of select committees",
    "12 Union Street",
    "Drop Table Tennis Club",
    "we met again, having dined.",
    "update the set or insert coins",
    "having fun group by group",
    "sleep (8 hours)",
    "ASCII(chart)",
    "where 1 < 2 or 3 > 4",
    "2 order by date",
    "order by 1",
    "1 for update",
    "restart; shutdown",
    "1; copy that to 'Anna'",
    "Trade union values (2026)",
    "the union's table of 5 values (4 of them new) -- see below",
    "make 2; copy the key to 'Anna'; attach it",
    "a -> b or b -> c",
    "'a' -> 'b' and 'c' -> 'd'",
    "mail o'neill <o@example.org> or anna@>",
    "done; drop table in hall",
    "1; exec will do",
    "case 13\"",
    "tom & jerry; part 1=2?",
    "a) from here = b",
    "#1 or #2",
    "@anna -- hello",
    "select @anna",
    // What begins with a word of SQL or with its signs.
    "and 2 + 2 = 4",
    "or x = 5",
    "the directors' exec meeting",
    "and 3 + 4 = 7 and 4 + 4 = 8",
    "and 'the one' = 'the other",
    "or else",
    "or 'Anna' -- 7",
    "having a ball",
    "order by 9",
    "order by 5 -- before noon",
    "; drop me a line",
    "; call table(x)",
    "; copy table to '/tmp'",
    "; if (0 == x) y",
    "; begin set up",
    "; select one",
    "7; (select one of them)",
    ") ; -)",
    "sleep(5) # as long as it takes",
    "price desc, name asc",
    "rank desc",
    // Names of variables.
    "'k' || union",
    "!4 && union",
    "'k' + select + 'l'",
    // Inches.
    "5\" -- 9",
    "24\" # 7",
    // A password.
    "2b1tLuM\"#jv",
    // Search phrases.
    "\"exact phrase\" -excluded",
    "\"a\" OR \"b\"",
    "(a OR b) AND NOT c",
    "'countdown calendar\" and \"advent:",
    "title:\"foo\" AND (author:bar OR author:baz)",
    "status = 'open' and priority > 3",
    "name = 'x' or name = 'y'",
    "'+'",
    "'='",
    "\"-\"",
    "' | '",
    "'or'",
    "'select', 'insert' and 'update'",
    "'select','semctl','semget'",
    "'union', 'union all'",
    "'drop', 'table', 'users'",
    "'and', 'or', 'not'",
    "'exec','execute'",
    "'waitfor', 'delay', '0'",
    "'order', 'by', '1'",
    "\"like\"",
    "'",
    "''",
    "\"",
    "test' ",
    // SQL, and code with SQL.
    "SELECT * FROM users WHERE id = 1",
    "SELECT id, name FROM users ORDER BY name LIMIT 10;",
    "select name from users where name = 'x'",
    "SELECT count(*) FROM users GROUP BY room",
    "DROP TABLE users;",
    "INSERT INTO users (name) VALUES ('x');",
    "DELETE FROM users WHERE id = 5",
    "UPDATE users SET name = 'x' WHERE id = 1;",
    "cursor.execute(\"select name from users\")",
    "db.query('drop table users')",
    "sql = 'select 1'",
    "'union select',",
    "What does UNION ALL SELECT do?",
    "declare @x int",
    "exec sp_help",
    "begin; commit",
    // Other code.
    "if (x > 1) { sleep(5); }",
    "if (sleep(5)) return;",
    "if (!true(1)) x",
    "SELECT name FROM users WHERE 1=1",
    "SELECT room FROM guests GROUP BY room HAVING count(*) > 5",
    "SELECT name FROM guests UNION SELECT name FROM staff;",
    "DECLARE @k INT; SET @k = 4; WHILE @k < 9 BEGIN SET @k = @k + 1 END",
    "declare @k int set @k = 4 exec book_room @k",
    "@@count = 0",
    "@@guests = 4 # of the class",
    "time.sleep(5)",
    "sleep(5)",
    "a || b",
    "x || 'default'",
    "1 || 2",
    "user() || null",
    "if a == '' or b == '':",
    "name.split('+')",
    "if c == '+':",
    "case '*':",
    "return '<stdout>'",
    "b'/' + c",
    "text(', ', 5)",
    "x = select(1, 2, 3)",
    "exec(compile(code))",
    "substr(s, 1, 1) = ''",
    "tokio::select! { a => b }",
    "'/': '/',",
    "'-' => '+',",
    "\"#,",
    "('LOAD', 0, 1),  # 2",
    "*/5 * * * *",
    "src/**/*.rs",
    "2024/12/*",
    "*/*",
    "@@ -1,3 +1,4 @@",
    "[link](https://example.com/?a=1&b=2#top)",
    "theme=dark; session=\"abc\"; cart=1,2",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
];

/// The injections that fall under another rule than theirs, or none.
fn surprises(spelling: fn(&str) -> String) -> Vec<(&'static str, Option<&'static str>)> {
    INJECTIONS
        .iter()
        .map(|(rule, value)| (*rule, *value, inspect(spelling(value).as_bytes())))
        .filter(|(rule, _, found)| *found != Some(rule))
        .map(|(_, value, found)| (value, found))
        .collect()
}

#[test]
fn injections_fall_under_their_rule() {
    assert_eq!(surprises(str::to_owned), []);
}

#[test]
fn case_does_not_matter() {
    assert_eq!(surprises(str::to_ascii_uppercase), []);
}

#[test]
fn every_rule_has_an_example_and_is_listed_once() {
    for rule in RULES {
        assert!(rule.starts_with("sqli."), "{rule}");
        assert!(INJECTIONS.iter().any(|(of, _)| of == rule), "{rule}");
        assert_eq!(
            RULES.iter().filter(|other| *other == rule).count(),
            1,
            "{rule}"
        );
    }
}

#[test]
fn ordinary_values_fall_under_none() {
    let flagged: Vec<_> = ORDINARY
        .iter()
        .filter_map(|value| inspect(value.as_bytes()).map(|rule| (value, rule)))
        .collect();
    assert_eq!(flagged, []);
}

proptest::proptest! {
    #[test]
    fn no_bytes_panic(value in proptest::collection::vec(proptest::num::u8::ANY, 0..256)) {
        let found = inspect(&value);
        proptest::prop_assert!(found.is_none_or(|rule| RULES.contains(&rule)));
    }

    #[test]
    fn no_pieces_of_sql_panic(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..40)) {
        let found = inspect(pieces.concat().as_bytes());
        proptest::prop_assert!(found.is_none_or(|rule| RULES.contains(&rule)));
    }
}

/// What the tokenizer and the walk tell apart.
const PIECES: &[&str] = &[
    " ",
    "'",
    "\"",
    "''",
    "\\",
    "(",
    ")",
    ",",
    ";",
    "--",
    "#",
    "/*",
    "*/",
    "/*!50000",
    "\n",
    "=",
    "<=>",
    "||",
    "+",
    "!",
    "*",
    "@",
    "@@",
    "@a",
    "0x",
    "1e",
    ".5",
    "7",
    "{",
    "}",
    "[",
    "]",
    "`",
    "\\N",
    "x'",
    "u&'",
    "_utf8'",
    "and",
    " or ",
    " not ",
    " like ",
    " is null",
    "case ",
    " when ",
    " end ",
    " union ",
    " select ",
    " from ",
    " where ",
    " order by ",
    " for update",
    " into outfile ",
    " drop table ",
    " begin ",
    " if ",
    "sleep(",
    "version()",
    "char(",
    "a",
    "b.c",
    "é",
];

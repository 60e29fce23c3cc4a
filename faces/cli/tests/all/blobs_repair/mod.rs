//! `manicule blobs repair-index`: what it says, killed and interrupted runs, and restic's judgement
//! of what it leaves (where `MANICULE_RESTIC` names a restic).

mod call;
mod judged;
mod killed;
mod said;

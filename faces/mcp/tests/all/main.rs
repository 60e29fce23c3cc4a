//! Conversations with the tools: messages in and out, calls side by side, hostile input.

mod calls;
mod hostile;
mod messages;
mod results;
mod schemas;
mod support;

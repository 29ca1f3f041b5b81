// The thread, scrolled to its newest words.

export function down() {
  const thread = document.getElementById("thread");
  thread.scrollTop = thread.scrollHeight;
}

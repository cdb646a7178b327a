"""Evidence to answers that can be checked: prompt, read, verify, retry; questions CSV in, submission CSV out."""

# What `kubectl edit` changes: the editor of every call.
s/^  color: .*/  color: red/
s/^  weight: .*/  weight: 7/
s/^  minMember: .*/  minMember: 5/
s/^  replicas: .*/  replicas: 6/

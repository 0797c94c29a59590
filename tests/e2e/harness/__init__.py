"""A Kubernetes control plane on the loopback for tests, without a container engine. Start with cluster.Cluster."""
